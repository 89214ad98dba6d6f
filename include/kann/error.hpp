// The one exception type of the library, and the exit code that each kind of failure maps to.
#pragma once

#include <stdexcept>
#include <string>

namespace kann {

/// The kind of a failure. Its value is the exit code of the program `kann`.
enum class ErrorKind : int {
  check_failed = 1,  ///< a requested check failed (recall below the minimum)
  usage = 2,         ///< an option or an argument is wrong
  bad_input = 3,     ///< a file or a cloud cannot be used
  resources = 4,     ///< host or device memory, disk, output
  no_device = 5,     ///< no usable device, driver or architecture
  internal = 70,     ///< a bug in kann
};

/// Thrown by every function of the library that fails; exhausted host memory may also be a std::bad_alloc. `what()` is
/// one line without a prefix or a final newline.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const noexcept { return kind_; }
  int exit_code() const noexcept { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

}  // namespace kann
