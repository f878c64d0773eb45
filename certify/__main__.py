"""The `certify` command, also as `python -m certify`."""

from solvers.entry import start


def main() -> None:
    """Run the command line."""
    start("certify.cli")


if __name__ == "__main__":
    main()
