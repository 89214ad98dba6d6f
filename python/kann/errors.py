"""The exceptions of kann. Each kind of failure is an exit code of the command `kann`, and a class here."""


class Error(Exception):
    """Any failure that kann reports. `str(error)` is one line;
    `error.exit_code` is the exit code of the command."""

    exit_code = 70


class CheckError(Error):
    """A check that was asked for failed, such as `min_recall`.
    `error.accuracy` is what verify() would have returned."""

    exit_code = 1
    accuracy: "dict[str, object] | None" = None


class UsageError(Error, ValueError):
    """An option or an argument has a value that kann does not take, or a file
    exists and `force` was not given."""

    exit_code = 2


class InputError(Error, ValueError):
    """A file cannot be read, or an array cannot be searched: its shape, its
    type, NaN coordinates."""

    exit_code = 3


class ResourceError(Error):
    """Something of the machine does not suffice, or refuses: memory, disk, an
    output file, threads."""

    exit_code = 4


class OutOfMemoryError(ResourceError, MemoryError):
    """The memory of the host or of the device does not suffice."""


class DeviceError(Error, RuntimeError):
    """There is no usable CUDA device, and the search was to run on one."""

    exit_code = 5


class InternalError(Error, RuntimeError):
    """A bug in kann: please report it."""

    exit_code = 70


class KannWarning(UserWarning):
    """What the command prints as `kann: warning:`: a search or a file that may
    not be what was meant."""
