"""A voting process for the tests: forks a child for each line, so that kills fall on the session's own work.

Reads lines "journal acknowledged asker", or "journal" to start a session; answers with the child's number,
and with its exit code at its end.
The child answers queries, and writes their numbers to the file `acknowledged` when its `tell` has returned.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pareto.session import Session
from tests.pareto.voting import judge, open_session


def child(journal: str, acknowledged: str = "", asker: str = "") -> None:
    if not acknowledged:
        open_session("duel", Path(journal)).close()
        return
    out = os.open(acknowledged, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with Session.resume(journal, asker) as session:
        while queries := session.ask(3):
            judge(session, queries)
            os.write(out, ("\n".join(str(query.number) for query in queries) + "\n").encode())


def main() -> None:
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            status = 1
            try:
                child(*line.split())
                status = 0
            finally:
                os._exit(status)
        print(process, flush=True)
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
