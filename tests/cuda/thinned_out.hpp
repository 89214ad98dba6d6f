// Fewer cases per test, for the tools that slow a GPU down.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace kann::test {

/// With KANN_TEST_THIN=N in the environment, one case of N is run: racecheck takes almost a second per
/// search.
inline bool thinned_out() {
  static const char* const text = std::getenv("KANN_TEST_THIN");
  static const long every = text ? std::max(1L, std::atol(text)) : 1;
  static long seen = 0;
  return seen++ % every != 0;
}

}  // namespace kann::test
