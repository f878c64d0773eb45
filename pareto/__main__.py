"""The `pareto` command, also as `python -m pareto`."""

from solvers.entry import start


def main() -> None:
    """Run the command line."""
    start("pareto.cli")


if __name__ == "__main__":
    main()
