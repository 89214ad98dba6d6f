"""`python -m kann` is the command `kann` that was installed with this package."""

import importlib.metadata
import os
import pathlib
import sys
import sysconfig


def path_of_command() -> str:
    """The path of the command of this environment. Exits where it was removed."""
    places = [pathlib.Path(sysconfig.get_path("scripts")) / "kann"]
    try:
        files = importlib.metadata.files("kann") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    # The record of the installation knows it, whether it was made with --user, --prefix or in an environment
    places[:0] = [pathlib.Path(str(file.locate())) for file in files if file.name == "kann" and file.parent.name == "bin"]
    # but of pip install --target, where it says another folder
    places.insert(0, pathlib.Path(__file__).resolve().parent.parent / "bin" / "kann")
    for place in places:
        if place.is_file():
            return str(place.resolve())
    sys.exit(f"kann: error: the command is not at {places[-1]}; install the package again")


if __name__ == "__main__":
    command = path_of_command()
    os.execv(command, [command, *sys.argv[1:]])
