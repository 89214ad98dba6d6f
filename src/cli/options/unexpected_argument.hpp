// The error for an unknown argument.
#pragma once

#include <string_view>

namespace kann::cli {

/// Suggests what may be meant: the option that other programs call so, or the option with the nearest name. @throws
/// Error usage, always.
[[noreturn]] void fail_unexpected(std::string_view argument);

}  // namespace kann::cli
