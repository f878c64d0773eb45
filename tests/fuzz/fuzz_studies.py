"""Result files of studies: cut off anywhere they hold the pieces that were whole, damaged they are refused or
read to the end."""

from __future__ import annotations

from solvers.errors import SolverError
from solvers.studies.results import Results
from tests.fuzz.mutations import NASTY, damaged, damaged_lines
from tests.fuzz.property import Case, Reader

COLUMNS = {"name": str, "size": int, "value": float}
TEXTS = tuple(text for text in NASTY if "\n" not in text and "\r" not in text)


def results(rng, folder):
    path = folder / "results.csv"
    written, ends = Results(path, COLUMNS), [(0, ())]
    for piece in range(rng.randrange(1, 5)):
        rows = [
            {
                "name": rng.choice(TEXTS),
                "size": rng.randrange(9),
                "value": rng.choice((0.1, None, 1e300, -2.0)),
            }
            for _ in range(rng.randrange(1, 4))
        ]
        written.add(f"p{piece}", rows, 0.25)
        ends.append((path.stat().st_size, tuple(f"p{at}" for at in range(piece + 1))))
    data = path.read_bytes()
    change, whole = rng.randrange(4), None
    if change <= 1:  # a power cut
        cut = rng.randrange(len(data) + 1)
        path.write_bytes(data[:cut])
        keys = max(keys for end, keys in ends if end <= cut)
        whole = list(keys), written.sha256(keys), max(end for end, _ in ends if end <= cut)
    elif change == 2:
        path.write_bytes(damaged(rng, data))
    else:
        path.write_bytes(damaged_lines(rng, data.decode()).encode())

    def read():
        found = Results(path, COLUMNS)
        keys = sorted(found.done)
        found.table(keys)
        found.seconds(keys)
        return keys, found.sha256(keys), path.stat().st_size

    if whole is not None and not whole[2]:  # nothing but a part of the heading may be left
        return Case(read, lambda answer: None if not answer[0] else f"{answer} of an empty file")
    return Case(read, same=whole)


READERS = [Reader("study-results", (SolverError,), results)]
