#include "products/picture/ticks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace kann::picture {
namespace {

/// A step of digits · 10^exponent.
struct Step {
  double digits = 1;
  int exponent = 0;

  /// The i-th multiple of the step; rounded once if the power of ten is exact.
  double times(double i) const {
    return exponent < 0 ? digits * i / std::pow(10, -exponent) : digits * i * std::pow(10, exponent);
  }

  /// The number of the first multiple that is at least `value`.
  double first_from(double value) const {
    double i = std::ceil(value / times(1));
    if (times(i - 1) >= value) --i;  // the quotient is rounded
    return times(i) < value ? i + 1 : i;
  }
};

/// The smallest round step of which an interval has less than six; so it has three.
Step choose_step(double low, double high) {
  Step step{1, static_cast<int>(std::floor(std::log10((high - low) / 6)))};
  for (const double digits : {2.0, 2.5, 5.0, 10.0}) {
    if (high - low < 6 * step.times(1)) break;
    step.digits = digits;
  }
  return step;
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
  const double first = step.first_from(low), last = step.first_from(high);
  return {step.times(step.times(first) > low ? first - 1 : first), step.times(last)};
}

std::vector<Tick> ticks_of(double low, double high) {
  const Step step = choose_step(low, high);
  const double first = step.first_from(low);
  std::vector<Tick> ticks;
  for (int i = 0; i < 6; ++i) {
    // Past 2⁵³, different multiples may be the same float64
    const double value = step.times(first + i);
    if (value >= low && value <= high && (ticks.empty() || value > ticks.back().value))
      ticks.push_back({value, with_short_exponent(fmt::format("{:.15g}", value))});
  }
  return ticks;
}

}  // namespace kann::picture
