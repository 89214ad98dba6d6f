// How far the data are from a query along each axis, in float64 from the coordinates as given.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <variant>

#include "kann/points.hpp"

namespace kann::attributes {

class Differences {
 public:
  /// @param periodic the sides of a box, as TransferOptions has them: differences are those from the nearest image
  Differences(const PointsView& data, const PointsView& queries, std::span<const double> periodic)
      : data_(data), queries_(queries), dimensions_(data.dimensions) {
    for (std::size_t axis = 0; axis < periodic.size(); ++axis) sides_[axis] = periodic[axis];
  }

  void set_query(std::int64_t query) {
    for (int axis = 0; axis < dimensions_; ++axis) query_[axis] = queries_.at(query * dimensions_ + axis);
  }

  /// Asks for a point that to() will be called with soon.
  void prefetch(std::int64_t point) const { data_.prefetch(point * dimensions_); }

  /// Per axis; 0 in 2-D along the third.
  std::array<double, 3> to(std::int64_t point) const {
    std::array<double, 3> difference{};
    for (int axis = 0; axis < dimensions_; ++axis) {
      const double d = data_.at(point * dimensions_ + axis) - query_[axis];
      const bool is_near = sides_[axis] == 0 || 2 * std::abs(d) <= sides_[axis];
      difference[axis] = is_near ? d : std::remainder(d, sides_[axis]);  // the remainder is not rounded
    }
    return difference;
  }

 private:
  /// One of them is null: a branch that is always the same costs less than std::visit() per coordinate.
  struct Coordinates {
    explicit Coordinates(const PointsView& points) {
      if (const auto* const f = std::get_if<std::span<const float>>(&points.coordinates)) floats = f->data();
      if (const auto* const d = std::get_if<std::span<const double>>(&points.coordinates)) doubles = d->data();
    }
    double at(std::int64_t i) const { return doubles ? doubles[i] : static_cast<double>(floats[i]); }

    void prefetch(std::int64_t i) const {
      __builtin_prefetch(doubles ? static_cast<const void*>(doubles + i) : static_cast<const void*>(floats + i));
    }

    const float* floats = nullptr;
    const double* doubles = nullptr;
  };

  Coordinates data_, queries_;
  int dimensions_;
  std::array<double, 3> sides_{}, query_{};
};

}  // namespace kann::attributes
