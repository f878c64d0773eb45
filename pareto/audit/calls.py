"""Which events may be of one call: a session judges at the end of a call, not in the middle of one.

A call of `tell` writes at one moment, for one asker: changes of earlier answers, then new answers, of every
answer one at most. A change may complete the round with more of the call to come, and the round is judged
after all of it. That leaves no choice to whoever writes the journal: nothing is asked within a call, and what
it tells could as well have been told in one piece.
"""

from __future__ import annotations

from typing import Any

from pareto.audit.journal import Event

Answered = tuple[Any, Any]
"""(query, objective)."""


class Call:
    """The events from a correction on, as far as they can be of one call of `tell`."""

    def __init__(self, first: Event) -> None:
        self._last = first
        self._told = set(_answered(first))

    def takes(self, event: Event) -> bool:
        """Take the next event in; False if it cannot be of the same call."""
        if self._last.kind != "correct" or event.kind not in ("correct", "tell"):
            return False
        if (event.time, event.body["asker"]) != (self._last.time, self._last.body["asker"]):
            return False
        told = _answered(event)
        if not self._told.isdisjoint(told):
            return False
        self._told.update(told)
        self._last = event
        return True


def _answered(event: Event) -> list[Answered]:
    if event.kind == "correct":
        return [(event.body["query"], event.body["objective"])]
    return [(number, objective) for number, objective, *_ in event.body["answers"]]
