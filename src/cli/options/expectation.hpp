// The properties that --expect demands of a run, so that an easier run does not pass a check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"

namespace kann::cli {

/// A property that the run must have, e.g. k and "8". Numbers are compared as numbers; for `judged`, the value is a
/// minimum.
struct Expectation {
  std::string name, value;
};

/// Splits "k=8,radius=none" into two expectations. @throws Error usage: an unknown name, an impossible value, or no
/// value.
std::vector<Expectation> expectations(const Given& given);

/// Whether `value` meets the expectation.
bool is_met(const Expectation& expected, std::string_view value);

}  // namespace kann::cli
