// Makes a case that fails small, so that a person can look at it.
#pragma once

#include <chrono>
#include <functional>

#include "search/search_case.hpp"

namespace kann::fuzz {

/// Drops points by halves, then quarters, down to one by one, and simplifies options, as long as `fails` says that the
/// case still fails. Stops after `time` at the latest.
SearchCase shrink(SearchCase c, const std::function<bool(const SearchCase&)>& fails, std::chrono::seconds time);

}  // namespace kann::fuzz
