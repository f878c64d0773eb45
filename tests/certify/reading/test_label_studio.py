"""Labels from Label Studio's JSON export: who said what, whom to believe, and what is refused where."""

import json
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from certify.errors import PoolError
from certify.pool import Pool
from certify.reading.labels import read_labels

IDS = ("a", "b", "c", "d")
SCORES = [[4.0, 3.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0]]


@pytest.fixture(autouse=True)
def _in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def pool(classes=("cat", "dog"), ids=IDS):
    return Pool.multiclass([[classes[0], classes[1]] * 2], SCORES, classes, ids=ids)


def chosen(*names, control="label", **more):
    """An annotation as Label Studio exports it."""
    value = {"choices": list(names)}
    result = {
        "id": "x1",
        "from_name": control,
        "to_name": "row",
        "type": "choices",
        "value": value,
        "origin": "manual",
    }
    return {"id": 7, "completed_by": 1, "result": [result], "was_cancelled": False, "lead_time": 2.5, **more}


SKIPPED = {"id": 8, "completed_by": 2, "result": [], "was_cancelled": True, "ground_truth": False}
BLANK = {"id": 9, "result": [], "was_cancelled": False}


def task(name, *annotations, number=1, **more):
    """A task as Label Studio exports it."""
    drafts, predictions = [chosen("dog")], [chosen("dog", score=0.9)]
    return {
        "id": 40 + number,
        "data": {"certify_id": name, "text": "…"},
        "annotations": list(annotations),
        "drafts": drafts,
        "predictions": predictions,
        "meta": {},
        "total_annotations": len(annotations),
        **more,
    }


def export(*tasks, name="export.json"):
    Path(name).write_text(json.dumps(list(tasks)), encoding="utf-8")
    return name


def read(*tasks, the_pool=None, **options):
    return read_labels(export(*tasks), the_pool or pool(), **options)


def refused(*words, tasks=(), text=None, the_pool=None, **options):
    path = export(*tasks)
    if text is not None:
        Path(path).write_bytes(text)
    with pytest.raises(PoolError) as caught:
        read_labels(path, the_pool or pool(), **options)
    for word in ("export.json", *words):
        assert word in str(caught.value), f"{word!r} is not in: {caught.value}"


def test_choices_are_labels_and_predictions_and_drafts_are_not():
    found = read(task("d", chosen("dog")), task("a", chosen("cat")), task("b"))
    assert found.codes.tolist() == [0, -1, -1, 1]
    assert found.unknown.tolist() == []
    assert found.notices == ("export.json: 2 rows labelled, 2 not",)


def test_a_task_that_all_skipped_is_one_that_nobody_can_tell():
    found = read(task("a", SKIPPED), task("b", SKIPPED, chosen("dog")), task("c", SKIPPED, SKIPPED))
    assert (found.codes.tolist(), found.unknown.tolist()) == ([-1, 1, -1, -1], [0, 2])
    cancelled = chosen("dog", was_cancelled=True)
    assert read(task("a", cancelled)).unknown.tolist() == [0]


def test_an_annotation_without_a_choice_says_nothing():
    found = read(task("a", BLANK), task("b", SKIPPED, BLANK), task("c", BLANK, chosen("cat")), task("d"))
    assert (found.codes.tolist(), found.unknown.tolist()) == ([-1, -1, 0, -1], [])
    assert found.notices[0] == "export.json: 2 annotated without a choice, which counts as not labelled"


def test_annotations_that_agree_are_one_label():
    assert read(task("a", chosen("dog"), chosen("dog"), SKIPPED)).codes[0] == 1


def test_annotations_that_disagree_are_refused_unless_one_is_the_ground_truth():
    refused(
        "task 2 (Label Studio's id 42)",
        "annotation 2 says 'dog' and annotation 1 says 'cat'",
        "ground truth",
        tasks=(task("b", chosen("cat")), task("a", chosen("cat"), chosen("dog"), number=2)),
    )
    settled = task("a", chosen("cat"), chosen("dog", ground_truth=True))
    assert read(settled).codes[0] == 1
    refused("annotation 2", tasks=[task("a", *(chosen(name, ground_truth=True) for name in ("cat", "dog")))])


def test_a_ground_truth_without_a_choice_settles_nothing():
    assert read(task("a", chosen("cat"), {**BLANK, "ground_truth": True})).codes[0] == 0


def test_one_row_in_two_tasks():
    found = read(task("a", chosen("dog")), task("a", SKIPPED), task("a", chosen("dog")), task("a"))
    assert (found.codes.tolist(), found.unknown.tolist()) == ([1, -1, -1, -1], [])
    assert found.notices[0] == "export.json: 3 tasks repeat a row without contradicting its label"
    refused(
        "task 2 (Label Studio's id 42)",
        "label 'cat' for row 'a'",
        "'dog' in export.json, task 1",
        tasks=(task("a", chosen("dog")), task("a", chosen("cat"), number=2)),
    )


def test_the_control_called_label_counts_or_the_only_one():
    other = chosen("cat", control="species")
    assert read(task("a", other)).codes[0] == 0
    both = chosen("dog")
    both["result"] += chosen("blurred", control="quality")["result"]
    assert read(task("a", both)).codes[0] == 1
    assert read(task("a", both), task("b", chosen("fine", control="quality"))).codes.tolist()[:2] == [1, -1]
    two = chosen("dog", control="kind")
    two["result"] += chosen("blurred", control="quality")["result"]
    refused("2 controls ('kind', 'quality')", "'label'", tasks=[task("a", two)])


def test_regions_with_one_class_are_one_label_and_with_two_are_refused():
    regions = chosen("dog")
    regions["result"] += [{"type": "rectanglelabels", "value": {"x": 1}}, *chosen("dog")["result"]]
    assert read(task("a", regions)).codes[0] == 1
    refused(
        "task 1", "annotation 1 chooses 2 classes ('dog', 'cat')", tasks=[task("a", chosen("dog", "cat"))]
    )


def test_results_of_other_types_are_refused_if_there_are_no_choices():
    drawn = {**BLANK, "result": [{"type": "rectanglelabels", "value": {"rectanglelabels": ["dog"]}}]}
    refused("no annotation has a result of type 'choices'", "'rectanglelabels'", tasks=[task("a", drawn)])


def test_labels_are_mapped_before_they_are_compared():
    found = read(task("a", chosen("Cat"), chosen("cat")), label_map={"Cat": "cat"})
    assert found.codes[0] == 0
    refused("task 1", "annotation 1", "'Cat'", "cat, dog", "--label-map", tasks=[task("a", chosen("Cat"))])


def test_numbers_as_classes_and_as_ids():
    numbers = pool(("0", "1"), ids=None)
    assert read(task(3, chosen("1")), task("0", chosen("1.0")), the_pool=numbers).codes.tolist() == [
        1,
        -1,
        -1,
        1,
    ]
    assert read(task("a", chosen("?")), task("b", chosen("")), the_pool=pool()).codes.tolist() == [-1] * 4


def test_tasks_of_ones_own_name_their_row_by_id():
    own = {"id": 3, "data": {"id": "b", "image": "b.png"}, "annotations": [chosen("dog")]}
    assert read(own).codes.tolist() == [-1, 1, -1, -1]


def test_old_exports():
    old = {"id": 3, "data": {"id": "b"}, "completions": [{"result": chosen("dog")["result"], "id": 1001}]}
    assert read(old, {**old, "data": {"id": "a"}, "completions": [{"skipped": True}]}).unknown.tolist() == [0]


@pytest.mark.parametrize(
    ("words", "tasks"),
    [
        (("task 2", "the id 'z' is not in the pool (2 tasks have such ids)", "'a', 'b', 'c'"), "azy"),
        (("task 1", "no 'certify_id' or 'id'", "'image'"), [{"data": {"image": "a.png"}}]),
        (("task 1", "whole number", "'certify_id'"), [task(None)]),
        (("task 1", "whole number"), [task(True)]),
        (("task 1", "whole number", "'a.png'"), [{"data": "a.png"}]),
        (
            ("task 1 has no 'data'", "'label'", "not as JSON-MIN"),
            [{"id": 1, "certify_id": "a", "label": "cat"}],
        ),
        (("task 2", "found 'a'", "a task is an object"), [task("a"), "a"]),
        (("task 1", "'annotations' is {}"), [task("a", annotations={})]),
        (("task 1", "annotation 1: found 7", "not their numbers"), [task("a", 7)]),
        (("annotation 2", "'result' is 'cat'"), [task("a", BLANK, {"result": "cat"})]),
        (("annotation 1", "a list of objects"), [task("a", {"result": ["cat"]})]),
        (("annotation 1", "value None"), [task("a", {"result": [{"type": "choices"}]})]),
        (("annotation 1", "'was_cancelled' is 'no'"), [task("a", chosen("cat", was_cancelled="no"))]),
        (("no tasks",), []),
    ],
)
def test_what_is_refused_and_where(words, tasks):
    refused(*words, tasks=[task(name) for name in tasks] if isinstance(tasks, str) else tasks)


def test_a_pool_without_ids_takes_positions():
    refused("the id '4'", "a row's position, 0 to 3", tasks=[task("4")], the_pool=pool(ids=None))


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b"", "no JSON"),
        (b"[{]", "line 1 column 3"),
        (b'[{"data": {"id": "a\xff"}}]', "not UTF-8"),
        (b'{"data": {}}', "a list of tasks"),
        (b"[" * 100_000, "no JSON"),
        (b"[" + b"9" * 5000 + b"]", "no JSON"),
        (b"id,label\na,cat\n", "no JSON"),
    ],
)
def test_files_that_are_no_export(text, word):
    refused(word, text=text)


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_a_file_holds_it_is_read_or_refused(data):
    """Any JSON in the place of any part of an export."""
    junk = st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-2, 5)
        | st.floats()
        | st.sampled_from([*IDS, "cat", "dog", "label"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["data", "id", "annotations", "result", "value", "choices", "was_cancelled", "type"]
                ),
                inner,
                max_size=3,
            )
        ),
        max_leaves=8,
    )
    found = deepcopy([task("a", chosen("cat"), SKIPPED), task("b", BLANK)])
    places = list(_places(found))
    *keys, last = data.draw(st.sampled_from(places))
    inner = found
    for key in keys:
        inner = inner[key]
    inner[last] = data.draw(junk)
    try:
        codes = read(*found).codes
    except PoolError as error:
        if "export.json" not in str(error):
            raise
    else:
        assert codes.shape == (4,)
        assert set(codes.tolist()) <= {-1, 0, 1}


def _places(value, path=()):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _places(inner, (*path, key))
