"""What is found out about a log, as JSON values."""

from __future__ import annotations

from typing import Any

from pareto.finite import finite
from pareto.log_report.conventions import WHY, Weak
from pareto.log_report.findings import Findings
from pareto.retention import Choice, Retention
from pareto.targets import Target

Record = dict[str, Any]


def frontier_record(found: Findings) -> Record:
    """Everything."""
    done = found.log.preprocessing
    return {
        "logs": list(found.sources),
        "layout": found.battles.schema,
        "detected": found.battles.detected,
        "objectives": list(found.log.objectives),
        "preprocessing": None if done is None else done.record(),
        "retention": retention_record(found.log.retention),
        "target": target_record(found.target),
        "certainty": {"decided": found.tallies, **found.certainty.record()},
        "weak": None if found.weak is None else weak_record(found.weak, found.target),
    }


def retention_record(retention: Retention) -> Record:
    """Who was kept, who went and why."""
    return {
        "rule": retention.rule,
        "models": retention.models,
        "kept": list(retention.members),
        "proven": retention.proven,
        "bound": retention.bound,
        "backend": retention.backend or None,
        "records": retention.records,
        "records_outside": retention.dropped,
        "explanation": list(retention.explanation),
        "removed": [
            {
                "model": one.model,
                "reason": one.reason,
                "no_comparison_on": list(one.absent),
                "missing": [
                    {"model": other, "objectives": list(objectives)} for other, objectives in one.missing
                ],
            }
            for one in retention.removed
        ],
        "objective_costs": [
            {
                "objective": one.objective,
                "models_without": one.absent,
                "pairs_without": one.pairs,
                "pairs_without_only_this": one.only,
                "kept_without_it": None if one.without is None else _choice(one.without),
            }
            for one in retention.costs
        ],
        "weaker_demands": [{"demand": one.demand, **_choice(one.kept)} for one in retention.weaker],
    }


def _choice(choice: Choice) -> Record:
    return {"models": list(choice.models), "proven": choice.proven, "bound": choice.bound}


def target_record(found: Target) -> Record:
    """Scores, the frontier of the log, gaps and what they cost under one treatment of ties."""
    return {
        "ties": found.name,
        "letter": found.letter,
        "frontier": list(found.kept),
        "minimum_gap": finite(found.minimum_gap),
        "sum_of_inverse_squared_gaps": finite(found.hardness),
        "exact": found.exact,
        "models": [
            {
                "model": name,
                "on_frontier": bool(found.frontier[i]),
                "gap": finite(found.gaps[i]),
                "borda": dict(zip(found.objectives, found.borda[i].tolist(), strict=True)),
                "reason": reason,
            }
            for i, (name, reason) in enumerate(zip(found.models, found.reasons, strict=True))
        ],
    }


def weak_record(weak: Weak, found: Target) -> Record:
    """The weak frontier, and whom it loses."""
    return {
        "frontier": [name for name, kept in zip(found.models, weak.frontier.tolist(), strict=True) if kept],
        "only_strict": [
            {"model": found.models[one.model], "rival": found.models[one.rival], "tied_on": list(one.tied)}
            for one in weak.lost
        ],
        "why": WHY,
    }
