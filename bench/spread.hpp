// How often a measurement is repeated, and what is kept of the repetitions.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace kann::bench {

/// Seconds of several runs. The best is the one to compare: what disturbs a run only makes it longer.
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

/// Whether to run again: `repeat` times at least, and ten times as often as long as all is done in 50 ms, since short
/// runs are disturbed the most.
inline bool run_again(int runs, int repeat, const Stopwatch& since_first) {
  return runs < repeat || (runs < 10 * repeat && since_first.seconds() < 0.05);
}

/// Seconds of repeated calls of f(), which returns its own; the first call warms up and is not counted.
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
