"""The package kann-cuda13, whose extension module takes the place of kann._kann."""

import importlib
import sys
import warnings

from ._version import version
from .errors import KannWarning


def use_cuda13() -> None:
    """Does so where the package is installed in the version of this one, and warns where it has another."""
    try:
        cuda13 = importlib.import_module("kann_cuda13")
    except ModuleNotFoundError:
        return
    if cuda13.version == version:
        sys.modules["kann._kann"] = importlib.import_module("kann_cuda13._kann")
    else:
        warnings.warn(
            f"kann-cuda13 {cuda13.version} is not used, as this is kann {version}: pip install 'kann[cuda13]' installs both "
            "in one version",
            KannWarning,
            stacklevel=3,
        )
