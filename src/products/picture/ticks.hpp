// Round numbers on the axis of a colour bar.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kann::picture {

struct Tick {
  double value;
  std::string text;
};

/// Writes 5e-07 and 5e+07 as 5e-7 and 5e7.
std::string with_short_exponent(std::string text);

/// Three to six multiples of 1, 2, 2.5 or 5 times a power of ten in [low, high], low < high; fewer if float64 has fewer
/// numbers in the interval. Example: 0.13 to 0.87 gives 0.2 0.4 0.6 0.8.
std::vector<Tick> ticks_of(double low, double high);

/// The ticks of a logarithmic axis, 0 < low < high: powers of ten, and 2 and 5 times these where there are few; if
/// there are very many powers of ten, every second, third and so on. There is at least one tick, and at least two if
/// high ≥ 10 · low.
std::vector<Tick> log_ticks_of(double low, double high);

/// [low, high], widened to the adjacent multiples of the ticks' step (on a logarithmic axis, to 1, 2 or 5 times a power
/// of ten).
std::pair<double, double> rounded_out(double low, double high, bool is_log);

}  // namespace kann::picture
