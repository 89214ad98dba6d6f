// Repeated measurements, and their best, median and worst times.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace kann::bench {

/// Seconds of several runs. Compare the best: disturbances only make a run longer.
struct Spread {
  double best = 0, median = 0, worst = 0;
  int runs = 0;
};

inline Spread spread_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  if (seconds.empty()) return {};
  return {seconds.front(), seconds[seconds.size() / 2], seconds.back(), static_cast<int>(seconds.size())};
}

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// Whether to run again: at least `repeat` runs, and up to ten times as many while all together take less than 50 ms,
/// since short runs vary most.
inline bool run_again(int runs, int repeat, const Stopwatch& since_first) {
  return runs < repeat || (runs < 10 * repeat && since_first.seconds() < 0.05);
}

/// The spread of repeated calls of f(), which returns its seconds. The first call is a warm-up and is not counted.
template <class F>
Spread measure(int repeat, F&& f) {
  f();
  const Stopwatch watch;
  std::vector<double> seconds;
  while (run_again(static_cast<int>(seconds.size()), repeat, watch)) seconds.push_back(f());
  return spread_of(seconds);
}

/// Seconds that one call of f() takes.
template <class F>
double timed(F&& f) {
  const Stopwatch watch;
  f();
  return watch.seconds();
}

}  // namespace kann::bench
