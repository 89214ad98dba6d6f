#include "cli/terminal/time_left.hpp"

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace kann::cli {

void RateEstimate::add(double seconds, double done) {
  constexpr double early_seconds = 2, window_seconds = 10;
  last_ = {seconds, done};
  if (!has_begun_) from_ = between_ = last_;
  has_begun_ = true;
  if (seconds - between_.seconds >= window_seconds) from_ = std::exchange(between_, last_);
  const double took = last_.seconds - from_.seconds, did = last_.done - from_.done;
  if (took >= early_seconds && did > 0) per_second_ = did / took;
}

double RateEstimate::seconds_left(double total) const {
  return per_second_ > 0 && total > last_.done ? (total - last_.done) / per_second_ : 0;
}

std::string duration_text(double seconds) {
  constexpr double many = 100;  // from this many of a unit on, the next unit says as much
  if (seconds < many) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < many * 60) return fmt::format("{:.0f} min", std::round(seconds / 60));
  return fmt::format("{:.0f} h", std::round(seconds / 3600));
}

std::string measured_text(double seconds) {
  // Each limit is where the format before it would round to one digit more.
  if (seconds < 0.005e-3) return "0 ms";
  if (seconds < 0.995e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds < 9.95e-3) return fmt::format("{:.1f} ms", seconds * 1e3);
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  const std::int64_t minutes = (whole + 30) / 60;
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace kann::cli
