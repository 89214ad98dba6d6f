// How far the data are from a query along each axis, in float64 from the coordinates as given.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "kann/error.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "geometry/row_images.hpp"

namespace kann::attributes {

/// Refuses a box that no search of points with so many coordinates has. @throws Error usage.
inline void check_box(std::span<const double> periodic, Images images, int dimensions, const std::string& who) {
  SearchOptions search;
  search.periodic.assign(periodic.begin(), periodic.end());
  search.images = images;
  check_options(search);
  if (!periodic.empty() && std::ssize(periodic) != dimensions && (std::ssize(periodic) <= 3 || dimensions != 3))
    throw Error(ErrorKind::usage, who + ": " + std::to_string(periodic.size()) +
                                      " numbers of a periodic box for points of " + std::to_string(dimensions) +
                                      " coordinates");
}

class Differences {
 public:
  /// @param periodic, images as TransferOptions has them: differences are those from the image that a neighbour is
  /// @param who the caller, in messages
  Differences(const PointsView& data, const PointsView& queries, std::span<const double> periodic, Images images,
              const char* who)
      : data_(data), queries_(queries), dimensions_(data.dimensions), who_(who) {
    if (periodic.empty()) return;
    box_ = std::make_unique<const geometry::PeriodicBox>(periodic);
    for (std::size_t axis = 0; axis < 3; ++axis) sides_[axis] = box_->height(axis);
    if (images == Images::all || box_->is_slanted()) images_.emplace(*box_);
  }

  /// @param ids, distances of the row of a query, without missing neighbours
  /// @param half_of as in geometry::RowImages
  /// @throws Error bad_input: no search in the box has found them.
  void set_row(std::int64_t query, std::span<const std::int32_t> ids, std::span<const float> distances,
               std::int64_t half_of = -1) {
    for (int axis = 0; axis < dimensions_; ++axis) query_[axis] = queries_.at(query * dimensions_ + axis);
    ids_ = ids;
    if (!images_) return;
    const auto position = [&](std::size_t i) {
      geometry::Position at{};
      for (int axis = 0; axis < dimensions_; ++axis) at[axis] = data_.at(ids[i] * std::int64_t{dimensions_} + axis);
      return at;
    };
    found_ = images_->of(query_, ids, distances, position, half_of);
    if (found_.size() < ids.size())
      throw Error(ErrorKind::bad_input, std::string(who_) +
                                            ": rows are not those of a search in this periodic box, or have points "
                                            "too far from it; move them into the box");
  }

  /// Asks for a point that a row will have soon.
  void prefetch(std::int64_t point) const { data_.prefetch(point * dimensions_); }

  /// Which image neighbour `i` of the row is, with Images::all.
  const geometry::Shift& shift(std::size_t i) const { return found_[i].shift; }

  /// Those of neighbour `i` of the row per axis; 0 in 2-D along the third.
  std::array<double, 3> to(std::size_t i) const {
    if (images_) return found_[i].difference;
    const std::int64_t point = ids_[i];
    std::array<double, 3> difference{};
    for (int axis = 0; axis < dimensions_; ++axis) {
      const double x = data_.at(point * dimensions_ + axis), d = x - query_[axis], side = sides_[axis];
      const bool is_near = side == 0 || 2 * std::abs(d) <= side;
      difference[axis] = is_near ? d : std::remainder(near_box(x, side) - near_box(query_[axis], side), side);
    }
    return difference;
  }

 private:
  /// A coordinate that is many sides away loses no digits on the way to the box: the remainder is not rounded.
  static double near_box(double x, double side) { return std::abs(x) <= 4 * side ? x : std::remainder(x, side); }

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
  const char* who_;
  std::array<double, 3> sides_{}, query_{};
  std::span<const std::int32_t> ids_;  // of the row
  std::unique_ptr<const geometry::PeriodicBox> box_;
  std::optional<geometry::RowImages> images_;  // where the nearest along each axis is not all there is
  std::span<const geometry::FoundImage> found_;
};

}  // namespace kann::attributes
