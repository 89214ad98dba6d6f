// The options of searches in a periodic box.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cpu_search.hpp"

namespace kann::test {

using Sides = std::vector<double>;

inline SearchOptions in_box(Sides sides, std::int64_t k) {
  SearchOptions options = cpu_options(k);
  options.periodic = std::move(sides);
  options.threads = 2;
  return options;
}

}  // namespace kann::test
