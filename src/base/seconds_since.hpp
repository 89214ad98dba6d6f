// How long something has taken so far, for reports.
#pragma once

#include <chrono>

namespace kann::base {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace kann::base
