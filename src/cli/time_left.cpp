#include "cli/time_left.hpp"

#include <cmath>
#include <fmt/format.h>

namespace kann::cli {

double seconds_left(double seconds, double fraction) {
  constexpr double early_seconds = 1, early_fraction = 0.01;
  if (!(seconds >= early_seconds && fraction >= early_fraction && fraction <= 1)) return 0;
  return seconds * (1 - fraction) / fraction;
}

std::string duration_text(double seconds) {
  constexpr double many = 100;  // of a unit: the next one says as much
  if (seconds < many) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < many * 60) return fmt::format("{:.0f} min", std::round(seconds / 60));
  return fmt::format("{:.0f} h", std::round(seconds / 3600));
}

}  // namespace kann::cli
