"""The package kann-cuda13, whose extension module takes the place of kann._kann."""

import importlib
import sys
import warnings

from ._version import version
from .errors import KannWarning


def use_cuda13() -> None:
    """Does so where the package is installed in the version of this one, and warns where it is there but cannot be used."""
    try:
        found = getattr(importlib.import_module("kann_cuda13"), "version", None)
        if found == version:
            sys.modules["kann._kann"] = importlib.import_module("kann_cuda13._kann")
            return
        fault = f"it has version {found}" if found else ""  # a folder of this name is not the package
    except ModuleNotFoundError as error:
        fault = "" if error.name == "kann_cuda13" else str(error)
    except ImportError as error:
        fault = str(error)
    if fault:
        hint = f"pip install --force-reinstall 'kann[cuda13]=={version}'"
        warnings.warn(f"kann-cuda13 is not used by kann {version}: {fault}; {hint}", KannWarning, stacklevel=3)
