// Refuses what was asked for.
#pragma once

#include <string>

#include "kann/error.hpp"

namespace kann::base {

[[noreturn]] inline void fail_usage(const std::string& message) { throw Error(ErrorKind::usage, message); }

}  // namespace kann::base
