// The one exception type of the library, and the exit code each kind of failure maps to.
#pragma once

#include <stdexcept>
#include <string>

namespace kann {

/// What went wrong, as the caller can act on it. The value is the exit code of the program `kann`.
enum class ErrorKind : int {
  check_failed = 1,  ///< a check that was asked for failed (recall below the minimum)
  usage = 2,         ///< an option or an argument is wrong
  bad_input = 3,     ///< a file or a cloud cannot be used
  resources = 4,     ///< host or device memory, disk, output
  no_device = 5,     ///< no usable device, driver or architecture
  internal = 70,     ///< a bug in kann
};

/// Thrown by every function of the library that fails (but for std::bad_alloc, when host memory ends). `what()` is one
/// line without a prefix or a final newline.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const noexcept { return kind_; }
  int exit_code() const noexcept { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

}  // namespace kann
