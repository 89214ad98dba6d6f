// How long something has taken so far, for reports.
#pragma once

#include <chrono>

namespace kann::base {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The seconds that work(g) takes beside its calls of g(), which calls f().
template <class Work, class F>
double seconds_beside(Work&& work, F&& f) {
  double inside = 0;
  const auto start = std::chrono::steady_clock::now();
  work([&](const auto&... arguments) {
    const auto begin = std::chrono::steady_clock::now();
    f(arguments...);
    inside += seconds_since(begin);
  });
  return seconds_since(start) - inside;
}

}  // namespace kann::base
