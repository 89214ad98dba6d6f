// What to say of an argument that is none of ours.
#pragma once

#include <string_view>

namespace kann::cli {

/// Suggests what may be meant: what other programs call an option, or the nearest of ours. @throws Error usage, always.
[[noreturn]] void fail_unexpected(std::string_view argument);

}  // namespace kann::cli
