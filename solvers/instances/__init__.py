"""Small problems that come with the package; `SOURCES.md` says what they are and where they are from."""

from pathlib import Path

FOLDER = Path(__file__).parent


def bundled() -> dict[str, Path]:
    """Files of the bundled problems by name (the file's name without its ending)."""
    files = sorted(path for path in FOLDER.iterdir() if path.suffix in (".json", ".npz", ".mps"))
    return {path.stem: path for path in files}
