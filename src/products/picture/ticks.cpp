#include "products/picture/ticks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace kann::picture {
namespace {

/// A step of digits · 10^exponent, where digits is 1, 2, 2.5 and so on.
struct Step {
  double digits = 0;
  int exponent = 0;
  bool has_half = false;  ///< whether `digits` has two significant digits

  /// The i-th multiple of the step; rounded once if the power of ten is exact.
  double times(double i) const {
    return exponent < 0 ? digits * i / std::pow(10, -exponent) : digits * i * std::pow(10, exponent);
  }
};

struct Multiples {
  double first, last;

  double count() const { return last - first + 1; }
};

Multiples multiples_in(double low, double high, const Step& step) {
  const double unit = step.times(1);
  Multiples m{std::ceil(low / unit), std::floor(high / unit)};
  // The quotients above are rounded
  if (step.times(m.first - 1) >= low) --m.first;
  if (step.times(m.first) < low) ++m.first;
  if (step.times(m.last + 1) <= high) ++m.last;
  if (step.times(m.last) > high) --m.last;
  return m;
}

Step choose_step(double low, double high) {
  const int exponent = static_cast<int>(std::floor(std::log10(high - low)));
  for (const auto& digits : {std::vector{5.0, 2.0, 1.0, 2.5}, std::vector{4.0, 3.0, 6.0, 8.0, 1.5}})
    for (int e = exponent; e >= exponent - 1; --e)
      for (const double d : digits) {
        const Step step{d, e, d != std::floor(d)};
        const double count = multiples_in(low, high, step).count();
        if (count >= 4 && count <= 6) return step;
      }
  return {1, exponent, false};
}

}  // namespace

std::string with_short_exponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  const std::size_t digits = e + 2;
  while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
  if (text[e + 1] == '+') text.erase(e + 1, 1);
  return text;
}

namespace {

std::string text_of(double value, double largest, const Step& step) {
  if (value == 0) return "0";
  const int decimals = std::max(0, (step.has_half ? 1 : 0) - step.exponent);
  if (step.exponent >= -5 && largest < 1e7) return fmt::format("{:.{}f}", value, decimals);
  const int leading = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
  return with_short_exponent(
      fmt::format("{:.{}e}", value, std::clamp(leading - step.exponent + (step.has_half ? 1 : 0), 0, 16)));
}

/// The numbers 1, 2 and 5 times powers of ten, from the last one not above `low` to the first one not below `high`.
std::vector<double> round_numbers(double low, double high) {
  std::vector<double> numbers;
  for (int e = static_cast<int>(std::floor(std::log10(low))) - 1; numbers.empty() || numbers.back() < high; ++e)
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double number = e < 0 ? digit / std::pow(10, -e) : digit * std::pow(10, e);
      if (number <= low) numbers.clear();
      numbers.push_back(number);
      if (number >= high) break;
    }
  return numbers;
}

}  // namespace

std::vector<Tick> log_ticks_of(double low, double high) {
  constexpr double few = 3, most = 6;
  const double decades = std::log10(high / low);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / most)));
  std::vector<Tick> ticks;
  for (const double number : round_numbers(low, high)) {
    if (number < low || number > high) continue;
    const double exponent = std::log10(number);
    const bool is_power = std::abs(exponent - std::round(exponent)) < 1e-6;
    if (decades >= few && (!is_power || std::lround(exponent) % every != 0)) continue;
    ticks.push_back({number, with_short_exponent(fmt::format("{:g}", number))});
  }
  return ticks;
}

std::pair<double, double> rounded_out(double low, double high, bool is_log) {
  if (is_log) {
    const std::vector<double> numbers = round_numbers(low, high);
    return {numbers.front(), numbers.back()};
  }
  const Step step = choose_step(low, high);
  const Multiples m = multiples_in(low, high, step);
  const double first = step.times(m.first), last = step.times(m.last);
  return {first > low ? step.times(m.first - 1) : first, last < high ? step.times(m.last + 1) : last};
}

std::vector<Tick> ticks_of(double low, double high) {
  const Step step = choose_step(low, high);
  const Multiples m = multiples_in(low, high, step);
  std::vector<Tick> ticks;
  for (int i = 0; i < 6; ++i) {
    // Past 2⁵³, different multiples may be the same float64
    const double value = step.times(m.first + i);
    if (!(value >= low && value <= high) || (!ticks.empty() && value <= ticks.back().value)) continue;
    ticks.push_back({value, text_of(value, std::max(std::abs(low), std::abs(high)), step)});
  }
  return ticks;
}

}  // namespace kann::picture
