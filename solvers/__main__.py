"""The `solvers` command, also as `python -m solvers`."""

from solvers.entry import start


def main() -> None:
    """Run the command line."""
    start("solvers.cli")


if __name__ == "__main__":
    main()
