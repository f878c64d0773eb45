"""Live comparisons, asked for and told one by one by people or judges, and kept in a journal.

session = Session(models, objectives, journal="votes.journal")
queries = session.ask(20); session.tell(answers); session.result.frontier
"""

from pareto.session.session import Answer, Receipt, Session

__all__ = ["Answer", "Receipt", "Session"]
