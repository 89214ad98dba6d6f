// What --expect says that a run must be, so that a check is not passed by an easier run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"

namespace kann::cli {

/// E.g. k, "8": the run must have this property. Numbers are compared as numbers; `judged` is the least.
struct Expectation {
  std::string name, value;
};

/// "k=8,radius=none" as two. @throws Error usage: an unknown name, a value that cannot be, or none.
std::vector<Expectation> expectations(const Given& given);

/// Whether `value` is what is expected.
bool is_met(const Expectation& expected, std::string_view value);

}  // namespace kann::cli
