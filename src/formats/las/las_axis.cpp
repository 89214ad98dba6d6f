#include "formats/las/las_axis.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "formats/files/refusal.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

constexpr double k_largest_integer = std::numeric_limits<std::int32_t>::max();
constexpr int k_coarsest_usual = -3, k_finest = -300;  // exponents of ten

/// Correctly rounded, which pow() need not be.
double power_of_ten(int exponent) {
  double power = 0;
  parse_number(fmt::format("1e{}", exponent), power);
  return power;
}

}  // namespace

std::int32_t LasAxis::integer(double coordinate) const {
  return static_cast<std::int32_t>(std::nearbyint((coordinate - offset) / scale));
}

void LasAxisChoice::extend(const LasCoordinates& coordinates) {
  double minimum = minimum_, maximum = maximum_;
  for (std::int64_t i = 0; i < coordinates.count && !not_finite_; ++i) {
    const double value = coordinates.at(i);
    if (!std::isfinite(value)) not_finite_ = {count_ + i, value};
    minimum = std::min(minimum, value);
    maximum = std::max(maximum, value);
  }
  minimum_ = minimum;
  maximum_ = maximum;
  count_ += coordinates.count;
}

void LasAxisChoice::choose_offset(const std::string& file) {
  if (count_ == 0) return;
  if (not_finite_)
    refuse(file, fmt::format("point {}: {} is {}, which LAS cannot hold; leave such points out, or write ply or "
                             "cloud-csv",
                             not_finite_->first, name_, not_finite_->second));
  axis_.offset = std::floor(minimum_);
  exponent_ = k_coarsest_usual;
  while (!holds_scale(exponent_) && exponent_ < std::numeric_limits<double>::max_exponent10) ++exponent_;
  if (!holds_scale(exponent_) || !std::isfinite(axis_.offset))
    refuse(file, fmt::format("{} from {} to {} is more than LAS can hold; write ply or cloud-csv", name_, minimum_,
                             maximum_));
  axis_.scale = power_of_ten(exponent_);
}

void LasAxisChoice::refine(const LasCoordinates& coordinates) {
  if (is_chosen()) return;
  while (!gives_back(coordinates)) {
    given_back_ = 0;
    if (exponent_ == k_finest || !holds_scale(exponent_ - 1)) {
      given_back_ = count_;  // no scale would
      return;
    }
    axis_.scale = power_of_ten(--exponent_);
  }
  given_back_ += coordinates.count;
}

LasAxis LasAxisChoice::axis() const {
  LasAxis axis = axis_;
  if (count_ > 0) {
    axis.minimum = axis.coordinate(axis.integer(minimum_));
    axis.maximum = axis.coordinate(axis.integer(maximum_));
  }
  return axis;
}

/// Whether int32 holds the integers of all coordinates with the scale 10^exponent.
bool LasAxisChoice::holds_scale(int exponent) const {
  return (maximum_ - axis_.offset) / power_of_ten(exponent) < k_largest_integer;
}

bool LasAxisChoice::gives_back(const LasCoordinates& coordinates) const {
  const double tolerance =
      4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(minimum_), std::abs(maximum_));
  for (std::int64_t i = 0; i < coordinates.count; ++i) {
    const double value = coordinates.at(i), back = axis_.coordinate(axis_.integer(value));
    if (is_float_ ? static_cast<float>(back) != static_cast<float>(value) : !(std::abs(back - value) <= tolerance))
      return false;
  }
  return true;
}

}  // namespace kann::formats
