"""Pools from probabilities in memory and from fitted classifiers, scikit-learn's and others."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import certify
from certify.bundled import CIFAR10_VGG16
from certify.errors import PoolError
from certify.pool import Pool

X, CODES = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[CODES]
TRAIN, TEST = slice(0, None, 2), slice(1, None, 2)


def fitted(estimator, y=NAMES):
    return estimator.fit(X[TRAIN], y[TRAIN])


class Scorer:
    """The least that a classifier is: no `predict`, not scikit-learn's."""

    def __init__(self, classes, probabilities):
        self.classes_ = classes
        self.probabilities = probabilities

    def predict_proba(self, X):
        return self.probabilities


class Decider:
    def __init__(self, classes, values):
        self.classes_ = classes
        self.values = values

    def decision_function(self, X):
        return self.values


def test_estimators_by_name():
    bayes, forest = fitted(GaussianNB()), fitted(RandomForestClassifier(5, random_state=0))
    scaled = fitted(make_pipeline(StandardScaler(), LogisticRegression()))
    pool = Pool.from_estimators({"bayes": bayes, "forest": forest, "scaled": scaled}, X[TEST])
    assert (pool.names, pool.classes) == (
        ("bayes", "forest", "scaled"),
        ("setosa", "versicolor", "virginica"),
    )
    for at, estimator in enumerate((bayes, forest, scaled)):
        assert [pool.classes[code] for code in pool.predictions[at]] == estimator.predict(X[TEST]).tolist()
        assert pool.confidences[at].tolist() == estimator.predict_proba(X[TEST]).max(axis=1).tolist()
    assert certify.prelabel_bound(pool) > 0


def test_forms_of_naming():
    both = fitted(GaussianNB()), fitted(DecisionTreeClassifier(random_state=0))
    pairs = list(zip("ab", both, strict=True))
    for given_, options, names in (
        (pairs, {}, ("a", "b")),
        (dict(pairs), {}, ("a", "b")),
        (both, {"names": ["x", "y"]}, ("x", "y")),
        (list(both), {}, ("candidate-0", "candidate-1")),
    ):
        assert Pool.from_estimators(given_, X[TEST], **options).names == names


def test_arrays_and_texts_in_place_of_lists():
    both = {"a": OK, "b": Scorer(["b", "a"], [[0.5, 0.5]])}
    pool = Pool.from_estimators(
        list(both.values()),
        None,
        names=np.array(["x", "y"]),
        classes=np.array(["a", "b", "c"]),
        scores=np.array(["msp", "margin"]),
    )
    assert (pool.names[::2], pool.classes) == (("x.msp", "y.msp"), ("a", "b", "c"))
    assert Pool.from_estimators(both, None, classes="a, b, c").classes == ("a", "b", "c")
    probabilities = {"x": [[0.6, 0.4]], "y": [[0.5, 0.5]]}
    for classes in ("yes, no", np.array(["yes", "no"])):
        assert Pool.from_probabilities(probabilities, classes).classes == ("no", "yes")


def test_scores_make_candidates():
    bayes, tree = fitted(GaussianNB()), fitted(DecisionTreeClassifier(max_depth=2, random_state=0))
    one = Pool.from_estimators({"bayes": bayes}, X[TEST], scores=["msp", "margin"])
    assert (one.names, one.kind) == (("msp", "margin"), "shared")
    two = Pool.from_estimators({"bayes": bayes, "tree": tree}, X[TEST], scores="margin,neg-entropy")
    assert two.names == ("bayes.margin", "bayes.neg-entropy", "tree.margin", "tree.neg-entropy")
    top = np.sort(bayes.predict_proba(X[TEST]), axis=1)
    assert two.confidences[0].tolist() == (top[:, 2] - top[:, 1]).tolist()


def test_ensembles_and_pipelines_are_one_classifier_although_they_have_a_length():
    bag = fitted(BaggingClassifier(DecisionTreeClassifier(), 3, random_state=0))
    pipe = fitted(make_pipeline(StandardScaler(), GaussianNB()))
    for one in (bag, pipe):
        assert Pool.from_estimators(one, X[TEST], scores=("msp", "margin")).candidates == 2
        with pytest.raises(PoolError, match="1 candidate leaves nothing to choose"):
            Pool.from_estimators(one, X[TEST])


def test_without_probabilities_the_margin_of_the_decision_function_counts():
    ridge, bayes = fitted(RidgeClassifier()), fitted(GaussianNB())
    pool = Pool.from_estimators({"ridge": ridge, "bayes": bayes}, X[TEST])
    assert pool.notices == ("ridge has no predict_proba; its confidence is the margin of decision_function",)
    top = np.sort(ridge.decision_function(X[TEST]), axis=1)
    assert pool.confidences[0].tolist() == (top[:, 2] - top[:, 1]).tolist()
    with pytest.raises(PoolError, match=r"ridge \(RidgeClassifier\) has no predict_proba"):
        Pool.from_estimators({"ridge": ridge, "bayes": bayes}, X[TEST], scores="msp")
    with pytest.raises(PoolError, match=r"bayes \(GaussianNB\) has no decision_function"):
        Pool.from_estimators({"ridge": ridge, "bayes": bayes}, X[TEST], scores="decision")


def test_decisions_on_two_classes():
    y = np.where(CODES == 0, "no", "yes")
    perceptron, ridge = fitted(Perceptron(), y), fitted(RidgeClassifier(), y)
    pool = Pool.from_estimators({"p": perceptron, "r": ridge}, X[TEST], scores="decision")
    assert pool.kind == "binary"
    for at, estimator in enumerate((perceptron, ridge)):
        assert pool.confidences[at].tolist() == np.abs(estimator.decision_function(X[TEST])).tolist()
        assert [pool.classes[code] for code in pool.predictions[at % len(pool.predictions)]] == (
            estimator.predict(X[TEST]).tolist()
        )


def test_what_predict_says_is_the_prediction():
    class Careful(Scorer):
        def predict(self, X):
            return np.array(["b", "b"])

    careful = Careful(["a", "b"], [[0.6, 0.4], [0.3, 0.7]])
    pool = Pool.from_estimators({"careful": careful, "plain": Scorer(["a", "b"], [[1, 0], [0, 1]])}, None)
    assert pool.predictions.tolist() == [[1, 1], [0, 1]]
    assert pool.notices == (
        "careful: predict differs from the class of the largest value on 1 of 2 rows; predict is what is "
        "compared",
    )


def test_classes_are_brought_together_in_natural_order():
    tied = Scorer(["10", "9"], [[0.5, 0.5], [0.9, 0.1]])
    other = Scorer([9, 11], [[0.2, 0.8], [0.7, 0.3]])
    pool = Pool.from_estimators({"tied": tied, "other": other}, None, classes=[9, 10, 11, 12])
    assert pool.classes == ("9", "10", "11", "12")
    assert [[pool.classes[code] for code in row] for row in pool.predictions] == [["9", "10"], ["11", "9"]]
    with pytest.raises(PoolError, match="share no class"):
        Pool.from_estimators({"a": tied, "b": Scorer(["x", "y"], [[1, 0], [1, 0]])}, None)


def test_codes_that_are_numbers_meet_their_texts():
    found = Pool.from_estimators(
        {"a": fitted(GaussianNB(), CODES), "b": fitted(GaussianNB(), CODES * 1.0)}, X[TEST]
    )
    assert (found.classes, found.kind) == (("0", "1", "2"), "shared")


OK = Scorer(["a", "b"], [[0.6, 0.4]])


class Predicts(Scorer):
    def __init__(self, predictions):
        super().__init__(["a", "b"], [[0.6, 0.4]])
        self.predictions = predictions

    def predict(self, X):
        return self.predictions


@pytest.mark.parametrize(
    ("estimators", "options", "words"),
    [
        ({"a": OK, "u": GaussianNB()}, {}, ("u (GaussianNB) has no classes_", "call fit first")),
        ({"a": OK, "r": DummyRegressor()}, {}, ("r (DummyRegressor) has no classes_",)),
        ({"a": OK, "n": Scorer([np.array([0, 1])] * 2, None)}, {}, ("n predicts several outputs",)),
        ({"a": OK, "f": Scorer(["a", "b", "c"], [[0.5, 0.5]])}, {}, ("f have shape (1, 2)", "3 classes")),
        ({"a": OK, "t": Scorer(["a", "b"], [["x", "y"]])}, {}, ("t are no numbers",)),
        ({"a": OK, "t": Scorer(["a", "b"], [[0.5, float("nan")]])}, {}, ("t, row 0, column 1: found nan",)),
        ({"a": OK, "t": Scorer(["a", "b"], [[0.5, -0.1]])}, {}, ("found -0.1",)),
        ({"a": OK, "t": Scorer(["a", "b"], [[1, 0], [0, 1]])}, {}, ("t has 2 rows and a has 1",)),
        ({"d": Decider(list("abc"), np.ones((1, 2))), "a": OK}, {}, ("shape (1, 2) for 3 classes", "ovr")),
        ([OK, OK], {"names": ["one"]}, ("for 2 estimators",)),
        ([("a", OK), ("b", OK)], {"names": ["x", "y"]}, ("have names already (a, b)",)),
        ([OK, OK], {"names": ["x", "x"]}, ("'x' is used twice",)),
        ("tree", {}, ("estimators are str", "{name: fitted classifier, …}")),
        ({}, {}, ("0 candidates leave nothing",)),
        ({"a": OK}, {}, ("1 candidate leaves nothing",)),
        ({"d": Decider(list("ab"), ["x"]), "a": OK}, {}, ("decision_function of d are no numbers",)),
        ({"d": Decider(list("ab"), [[1, 2], [3]]), "a": OK}, {}, ("decision_function of d are no numbers",)),
        ({"d": Decider(list("ab"), [None, {}]), "a": OK}, {}, ("decision_function of d are no numbers",)),
        ({"d": Decider(list("ab"), np.array([1j])), "a": OK}, {}, ("d are no numbers", "complex")),
        ({"d": Decider(list("ab"), None), "a": OK}, {}, ("decision_function of d gives nan",)),
        ({"d": Decider(list("abc"), [[0, np.inf, 1]]), "a": OK}, {}, ("gives inf at row 0 (1 such",)),
        ({"d": Decider(list("ab"), 3), "a": OK}, {}, ("shape () for 2 classes",)),
        ({"t": Scorer(["a", "b"], np.array([[1j, 0]])), "a": OK}, {}, ("t are no numbers", "complex")),
        ({"t": Scorer(["a", "b"], [[10**400, 0]]), "a": OK}, {}, ("t are no numbers",)),
        ({"n": Scorer(None, [[1, 0]]), "a": OK}, {}, ("classes_ of n (Scorer) is None", "call fit first")),
        ({"n": Scorer(2, [[1, 0]]), "a": OK}, {}, ("classes_ of n (Scorer) is 2",)),
        ({"n": Scorer("ab", [[1, 0]]), "a": OK}, {}, ("classes_ of n (Scorer) is 'ab'",)),
        ({"n": Scorer(np.array(2), [[1, 0]]), "a": OK}, {}, ("classes_ of n (Scorer) is array(2)",)),
        ({"n": Scorer([[0, 1], [0]], [[1, 0]]), "a": OK}, {}, ("n predicts several outputs",)),
        ({"p": Predicts([["a"], ["a", "b"]]), "a": OK}, {}, ("predict of p gives no list",)),
        ({"p": Predicts(None), "a": OK}, {}, ("predict of p gives shape ()",)),
        (
            {"one": Scorer([0], [[1]]), "a": OK},
            {},
            ("one (Scorer) learnt 1 class (0)", "two classes or more"),
        ),
        ({"n": Scorer(["a", None], [[1, 0]]), "a": OK}, {}, ("classes_ of n (Scorer): class None",)),
        ([OK, OK], {"names": np.array(["one"])}, ("for 2 estimators",)),
        ([OK, OK], {"names": []}, ("names=[] for 2 estimators",)),
        ([OK, OK], {"names": 5}, ("names=5",)),
        ([OK, OK], {"names": "xy"}, ("names='xy' for 2 estimators",)),
        ([OK, OK], {"classes": 5}, ("classes=5",)),
        ([OK, OK], {"scores": 5}, ("scores=5",)),
        ([OK, OK], {"scores": []}, ("no score named",)),
        ([OK, OK], {"scores": "mps"}, ("unknown score 'mps'",)),
        ([OK, OK], {"scores": ["decision", "msp"]}, ("'decision' stands alone",)),
        ([OK, OK], {"ids": ["r1", "r2"]}, ("2 ids for 1 rows",)),
    ],
)
def test_what_is_refused(estimators, options, words):
    with pytest.raises(PoolError) as caught:
        Pool.from_estimators(estimators, np.zeros((1, 4)), **options)
    for word in words:
        assert word in str(caught.value)


def test_what_an_estimator_raises_is_kept_as_the_cause():
    with pytest.raises(
        PoolError, match=r"predict_proba of b failed \(ValueError: X has 2 features"
    ) as caught:
        Pool.from_estimators({"b": fitted(GaussianNB()), "a": OK}, X[TEST, :2])
    assert isinstance(caught.value.__cause__, ValueError)


def test_probabilities_by_name_as_the_reader_of_files_takes_them():
    with np.load(CIFAR10_VGG16) as arrays:
        probabilities = arrays["predictions"]
    ours = Pool.from_probabilities({"vgg": probabilities}, scores=("msp", "neg-entropy", "margin"))
    theirs = certify.read_pool(CIFAR10_VGG16, scores="msp,neg-entropy,margin")
    assert (ours.names, ours.classes, ours.kind) == (theirs.names, theirs.classes, theirs.kind)
    assert np.array_equal(ours.predictions, theirs.predictions)
    assert np.array_equal(ours.confidences, theirs.confidences)


def test_probabilities_of_class_1_and_frames():
    frame = pl.DataFrame({"no": [0.3, 0.5], "yes": [0.7, 0.5]})
    pool = Pool.from_probabilities({"one": [0.7, 0.5], "two": frame}, ids=["r", "s"])
    assert pool.predictions.tolist() == [[1, 0]]
    assert pool.confidences.tolist() == [[0.7, 0.5], [0.7, 0.5]]
    assert pool.ids == ("r", "s")


@pytest.mark.parametrize(
    ("probabilities", "classes", "words"),
    [
        ([[0.5, 0.5]], None, ("not named",)),
        (
            {"a": [[0.5, 0.5]], "b": [[0.5, 0.5]]},
            ["x", "y", "z"],
            ("a have 2 columns for 3 classes (x, y, z)",),
        ),
        ({"a": [1.5], "b": [0.5]}, None, ("a, row 0: 1.5", "probability of class 1")),
        ({"a": [[0.5], [0.5]], "b": [0.5]}, None, ("shape (2, 1)", "two or more")),
        ({"a": np.ones((0, 2)), "b": [0.5]}, None, ("shape (0, 2)",)),
        ({"a": [[0.5, np.inf]], "b": [0.5]}, None, ("a, row 0, column 1: found inf",)),
        ({"a": [[0.5, 0.5]]}, None, ("1 candidate leaves", "several scores")),
        ({}, None, ("0 candidates leave nothing",)),
        ({"a": [[0.5, 0.5]], "b": [[0.5, 0.5]]}, 2, ("classes=2",)),
        ({"a": [[0.5, 0.5], [1]], "b": [[0.5, 0.5]]}, None, ("a are no numbers",)),
    ],
)
def test_probabilities_that_are_refused(probabilities, classes, words):
    with pytest.raises(PoolError) as caught:
        Pool.from_probabilities(probabilities, classes)
    for word in words:
        assert word in str(caught.value)


def test_sums_that_are_not_1_are_noted():
    pool = Pool.from_probabilities({"a": [[0.5, 0.2]], "b": [[0.5, 0.5]]})
    assert pool.notices[0].startswith("a: the probabilities of 1 row does not sum to 1")


@given(st.data())
def test_columns_in_any_order_are_the_same_candidate(data):
    """The order in which an estimator keeps its classes changes nothing, exact ties included."""
    classes = ["2", "10", "a", "b2"]
    table = np.array(
        data.draw(
            st.lists(
                st.lists(st.sampled_from([0.0, 0.25, 0.5]), min_size=4, max_size=4), min_size=1, max_size=5
            )
        )
    )
    order = data.draw(st.permutations(range(4)))
    moved = Scorer([classes[at] for at in order], table[:, order])
    pool = Pool.from_estimators({"a": Scorer(classes, table), "b": moved}, None)
    assert pool.kind == "shared"
    assert np.array_equal(pool.confidences[0], pool.confidences[1])


def test_the_example_of_a_single_array():
    pool = Pool.from_probabilities({"net": [[0.7, 0.3], [0.4, 0.6]]}, ["a", "b"], scores=["msp", "margin"])
    assert list(pool.names) == ["msp", "margin"]
