// How long a phase will still take, and how long one took, for people.
#pragma once

#include <string>

namespace kann::cli {

/// How fast a phase is, by its last ten to twenty seconds. What it took before its first work was done does not count:
/// a tree that is built first, divided by the first hundredth of the work, would say hours.
class RateEstimate {
 public:
  /// At `seconds` of any clock, `done` of the work is done; neither ever falls.
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
  Sample from_, between_, last_;  // the rate is that since from_; between_ takes its place
  double per_second_ = 0;
};

/// For people: "7 s", "3 min", "2 h".
std::string duration_text(double seconds);

/// A time that was measured: "0 ms", "0.64 ms", "6.4 ms", "128 ms", "1.24 s", "12.4 s", "2 min 4 s", "1 h 1 min".
std::string measured_text(double seconds);

}  // namespace kann::cli
