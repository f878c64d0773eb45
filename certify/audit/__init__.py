"""Re-derive everything a journal or a certificate proof claims, with none of the code that made the claim.

The auditor reads the files itself, counts in Python integers and stops at the first lie. What it shares
with the engine is the exception class and, for the dual bounds of a proof, the solvers' checker, which is
given demands and gains re-derived here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

from certify.audit import proof as proofs
from certify.audit.exact import AuditPool
from certify.audit.frozen import SAME, frozen_pool, same_row_weights
from certify.audit.inputs import (
    SCORES,
    LabelFile,
    has_truth,
    is_labels,
    match_labels,
    read_labels,
    read_pool,
    read_row_weights,
)
from certify.audit.journal import (
    Header,
    JournalFile,
    check_chain,
    parse_header,
    read_journal,
)
from certify.audit.objectives import Weighting, weigh, weights_column
from certify.audit.replay import check_events, check_labels, check_verdicts
from certify.audit.report import AuditReport, Check, Lie, Progress, Stopped, Trail
from certify.audit.tables import class_name, kind_of
from certify.audit.totals import TotalBounds, check_totals, looks
from certify.errors import PoolError

__all__ = ["AuditReport", "Check", "audit"]


def audit(
    files: Sequence[str | PathLike[str]],
    *,
    labels: str | PathLike[str] | None = None,
    head: str | None = None,
    classes: str | Sequence[object] | None = None,
    scores: str | Sequence[str] | None = None,
    label_map: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> AuditReport:
    """Audit journals and proofs among `files` against the pool and label files among them.

    Which file is what is found by content: SQLite journals, JSON proofs, a labels file (a `label` column
    and no predictions), and pool files, whose order is the order of candidates. labels: the labels file
    where it cannot be told apart. head: hash chain head noted elsewhere. classes: labels declared beyond
    the predicted ones. scores: confidences to compute from probabilities, in candidate order; by default
    those that the candidates are named after. label_map: spelling in the labels file → class.

    Raises `PoolError` for files that cannot be used; everything that merely is not true fails a check.

    >>> import certify, pathlib, tempfile
    >>> from certify.bundled import IONOSPHERE, IONOSPHERE_LABELS
    >>> pool = certify.read_pool(IONOSPHERE)
    >>> found = certify.minimum_certificate(pool, certify.read_labels(IONOSPHERE_LABELS, pool))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     proof = pathlib.Path(folder) / "proof.json"
    ...     found.write_proof(proof)
    ...     report = certify.audit([*IONOSPHERE, proof], labels=IONOSPHERE_LABELS)
    >>> report.ok, report.checks[-1].detail
    (True, '51 rows read, no other: bayes is certified whatever the other labels are')
    """
    inputs = _sort(files, labels)
    if head is not None and len(inputs.journals) != 1:
        raise PoolError(f"a head belongs to one journal; {len(inputs.journals)} are given")
    if head is not None and (len(head) != 64 or set(head.lower()) - set("0123456789abcdef")):
        raise PoolError(f"head {head!r} is not 64 hexadecimal digits; give the head as it was printed")
    trail = Trail([], progress or (lambda what, done, total: None))
    named = [name.strip() for name in scores.split(",")] if isinstance(scores, str) else scores
    source = _PoolFiles(inputs.pools, None if classes is None else _class_names(classes), named)
    try:
        pools = [
            _audit_journal(trail, read_journal(path), source, inputs, head, label_map)
            for path in inputs.journals
        ]
        for path in inputs.proofs:
            _audit_proof(trail, path, source, pools, inputs, label_map)
    except Stopped:
        pass
    return AuditReport(tuple(trail.checks))


@dataclass(frozen=True)
class _Inputs:
    journals: tuple[Path, ...]
    proofs: tuple[Path, ...]
    pools: tuple[Path, ...]
    labels: LabelFile | None

    def truth_for(self, pool: AuditPool, label_map: Mapping[str, str] | None) -> list[int] | None:
        """Class code of every row by the labels file, None when there is none."""
        if self.labels is None:
            return None
        return match_labels(self.labels, pool.ids, pool.n, pool.classes, label_map)


def _sort(files: Sequence[str | PathLike[str]], labels: str | PathLike[str] | None) -> _Inputs:
    """Each file by what it holds."""
    found: dict[str, list[Path]] = {"journal": [], "json": [], "labels": [], "pool": []}
    for path in map(Path, files):
        kind = kind_of(path)
        if kind not in found:
            kind = "labels" if is_labels(path) else "pool"
        found[kind].append(path)
    if labels is not None:
        found["labels"].append(Path(labels))
    if not found["journal"] and not found["json"]:
        raise PoolError("nothing to audit: give a journal or a proof file, with the pool files it is about")
    if len(found["labels"]) > 1:
        raise PoolError(f"{len(found['labels'])} labels files ({found['labels'][1]}, …); give one")
    if not found["labels"]:
        # an .npz of probabilities may bring the truth along
        found["labels"] = [path for path in found["pool"] if has_truth(path)][:1]
    truth = read_labels(found["labels"][0]) if found["labels"] else None
    return _Inputs(tuple(found["journal"]), tuple(found["json"]), tuple(found["pool"]), truth)


def _class_names(classes: str | Sequence[object]) -> tuple[str, ...]:
    names = [class_name(value) for value in (classes.split(",") if isinstance(classes, str) else classes)]
    if None in names or len(set(names)) != len(names):
        raise PoolError(f"classes {list(classes)!r} contain a blank or one class twice")
    return tuple(name for name in names if name is not None)


@dataclass(frozen=True)
class _PoolFiles:
    """The pool files with how to read them."""

    paths: tuple[Path, ...]
    declared: tuple[str, ...] | None
    scores: Sequence[str] | None

    def read(self, names: Sequence[str]) -> AuditPool:
        """names: the candidates claimed; where they are all named after scores, these are computed."""
        tails = tuple(dict.fromkeys(name.rpartition(".")[2] for name in names))
        stems = [path.stem for path in self.paths]
        scored = tails if len(stems) == 1 else tuple(f"{stem}.{tail}" for stem in stems for tail in tails)
        named = tails if set(tails) <= set(SCORES) and tuple(names) == scored else None
        return read_pool(self.paths, self.declared, self.scores or named)

    def weighted(self, pool: AuditPool, objective: str) -> AuditPool:
        """`pool` with the row weights that the objective takes from a column of the files, if it does."""
        column = weights_column(objective)
        return replace(pool, row_weights=read_row_weights(self.paths, column, pool)) if column else pool


def _audit_journal(
    trail: Trail,
    journal: JournalFile,
    source: _PoolFiles,
    inputs: _Inputs,
    head: str | None,
    label_map: Mapping[str, str] | None,
) -> AuditPool:
    """All checks of one journal; returns the pool it froze."""
    header, frozen = _check_frozen(trail, journal)
    _check_history(trail, journal, head)
    if source.paths:
        stated = source.read(frozen.names)
        for name, compare in SAME.items():
            with trail.check(name, journal.path.name) as stage:
                stage.detail = compare(frozen, stated)
        if weights_column(header.objective) is not None:
            with trail.check("row weights", journal.path.name) as stage:
                named = source.weighted(stated, header.objective)
                stage.detail = (
                    "no column of the files, so they are believed as they were frozen"
                    if named.row_weights is None
                    else same_row_weights(frozen, named)
                )
    else:
        with trail.check("pool files", journal.path.name) as stage:
            stage.detail = "none given, so predictions and confidences are believed as they were frozen"
    _check_decisions(trail, journal, header, frozen, inputs.truth_for(frozen, label_map))
    return frozen


def _audit_proof(
    trail: Trail,
    path: Path,
    source: _PoolFiles,
    frozen: Sequence[AuditPool],
    inputs: _Inputs,
    label_map: Mapping[str, str] | None,
) -> None:
    """All checks of one proof, on the pool of the files or else the one a journal froze."""
    file = path.name
    with trail.check("proof file", file) as stage:
        claim = proofs.read_claim(path)
        stage.detail = f"{path.stat().st_size} bytes, checksum and context in order"
    if not source.paths and len(frozen) != 1:
        raise PoolError(f"{path}: a proof is checked against its pool; give the pool files too")
    # what a journal froze is compared with the files by now, and has the classes declared at its start
    pool = frozen[0] if len(frozen) == 1 else source.read(claim.candidates)
    if pool.row_weights is None:
        pool = source.weighted(pool, claim.objective)
    if pool.row_weights is None and weights_column(claim.objective) is not None:
        raise PoolError(
            f"{path}: its row weights came from no column of the pool files; audit it together with a "
            "journal that froze them"
        )
    truth = inputs.truth_for(pool, label_map)
    if truth is None:
        raise PoolError(
            f"{path}: a certificate in hindsight is checked with the labels; give the labels file too"
        )
    with trail.check("subject", file) as stage:
        stage.detail = proofs.check_subject(claim, pool)
    weighting = _check_weights(trail, file, claim.objective, pool)
    rule, bounds = weighting.rule(claim.tolerance), weighting.bounds(pool)
    with trail.check("winner", file) as stage:
        stage.detail = proofs.check_winner(claim, rule, bounds, truth)
    with trail.check("sections", file) as stage:
        ks = proofs.targets(claim)
        stage.detail = f"{len(ks)}: {', '.join(pool.names[k] for k in ks)}"
    trail.progress(f"{file}: demands and gains", 0, 1)
    problems = proofs.covering_problems(bounds, rule, truth, ks)
    with trail.check("bounds and witness", file) as stage:
        stage.detail = proofs.check_proof(claim, problems)
    with trail.check("certificate replayed", file) as stage:
        stage.detail = proofs.check_witness(claim, rule, problems, ks, bounds, truth)


def _check_frozen(trail: Trail, journal: JournalFile) -> tuple[Header, AuditPool]:
    file = journal.path.name
    with trail.check("header", file) as stage:
        header = parse_header(journal)
        stage.detail = (
            f"version 1, {len(header.names)} candidates, {header.n} rows, {len(header.classes)} classes, "
            f"tolerance {header.tolerance}, objective {header.objective}"
        )
    with trail.check("frozen arrays", file) as stage:
        frozen = frozen_pool(journal, header)
        stage.detail = (
            f"{len(journal.arrays)} arrays have the digests in the header, and sound sizes and values"
        )
    return header, frozen


def _check_history(trail: Trail, journal: JournalFile, head: str | None) -> None:
    file = journal.path.name
    with trail.check("hash chain", file) as stage:
        check_chain(journal)
        stage.detail = f"{len(journal.events)} events, numbered without gaps, every hash re-derived"
    with trail.check("noted head", file) as stage:
        if head is None:
            stage.detail = (
                "none given: a journal whose whole chain was rewritten shows only against a head noted "
                f"elsewhere; the head of this one is {journal.head}"
            )
        else:
            _check_head(journal, head.lower())
            stage.detail = f"the chain ends in the head noted elsewhere, {journal.head}"


def _check_head(journal: JournalFile, head: str) -> None:
    if journal.head == head:
        return
    hashes = [journal.start, *(event.hash for event in journal.events)]
    if head in hashes:
        at = hashes.index(head)
        raise Lie(
            f"the noted head is that of event {at} (0 is the start); {len(journal.events) - at} events were "
            "appended after it was noted"
        )
    raise Lie(
        f"the chain ends in {journal.head}, and no event has the noted head {head}: history was rewritten"
    )


def _check_decisions(
    trail: Trail, journal: JournalFile, header: Header, pool: AuditPool, truth: Sequence[int] | None
) -> None:
    """What the session did and decided, event by event."""
    file, events = journal.path.name, journal.events
    weighting = _check_weights(trail, file, header.objective, pool)
    with trail.check("events", file) as stage:
        replayed = check_events(events, pool.classes, pool.n)
        stage.detail = (
            ", ".join(f"{count} {kind}" for kind, count in sorted(replayed.counts.items())) or "none"
        )
        stage.detail += "; each possible where it stands (the order of rows is free and not checked)"
    if truth is not None:
        with trail.check("labels", file) as stage:
            compared = check_labels(events, replayed, pool.row_names, truth, pool.classes)
            stage.detail = (
                f"{compared} of {len(replayed.labels)} labels compared with the labels file, all equal"
            )
            if compared < len(replayed.labels):
                stage.detail += f"; {len(replayed.labels) - compared} are not in it and believed"
    else:
        with trail.check("labels", file) as stage:
            stage.detail = "no labels file given: what was told is believed"
    if header.totals is not None:
        with trail.check("class totals", file) as stage:
            if weighting.blocks is not None:
                raise Lie(f"no session uses class totals with the objective {header.objective}")
            stage.detail = check_totals(events, replayed, pool.classes, header.totals)
    with trail.check("bounds and verdicts", file) as stage:
        rule = weighting.rule(header.tolerance)
        needed = None if header.totals is None else looks(events, replayed, rule)
        bounds = (
            weighting.bounds(pool)
            if header.totals is None
            else TotalBounds(weighting.weights, pool.predictions, weighting.scale, header.totals)
        )
        stage.detail = check_verdicts(
            events, replayed, bounds, rule, pool.names,
            lambda done: trail.progress(f"{file}: replaying events", done, len(events)), needed,
        )  # fmt: skip
        if needed is not None:
            stage.detail += f"; {len(needed)} prefixes looked at, the others follow from these"


def _check_weights(trail: Trail, file: str, objective: str, pool: AuditPool) -> Weighting:
    with trail.check("weights", file) as stage:
        weighting = weigh(
            objective, pool, lambda what, done, total: trail.progress(f"{file}: {what}", done, total)
        )
        stage.detail = weighting.detail
    return weighting
