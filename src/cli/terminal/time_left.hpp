// How long a phase will still take, and how long one took, for people.
#pragma once

#include <string>

namespace kann::cli {

/// Estimates how fast a phase is, from its last ten to twenty seconds. The time before the first call of add() does not
/// count: if a tree is built first, that time extrapolated from the first hundredth of the work would give hours.
class RateEstimate {
 public:
  /// Records that `done` of the work is done at time `seconds` of any clock; neither may decrease.
  void add(double seconds, double done);

  /// Work per second; 0 while it is too early to say: until two seconds after the first add().
  double per_second() const { return per_second_; }

  /// The seconds that are left until `total` is done; 0 while it is too early to say.
  double seconds_left(double total) const;

 private:
  struct Sample {
    double seconds = 0, done = 0;
  };
  bool has_begun_ = false;
  Sample from_, between_, last_;  // the rate is measured since from_, which between_ replaces after a while
  double per_second_ = 0;
};

/// A duration for people: "7 s", "3 min", "2 h".
std::string duration_text(double seconds);

/// A measured time as text: "0 ms", "0.64 ms", "6.4 ms", "128 ms", "1.24 s", "12.4 s", "2 min 4 s", "1 h 1 min".
std::string measured_text(double seconds);

}  // namespace kann::cli
