// Points picked by number from a cloud that comes in blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "problem/survey.hpp"

namespace kann::flow {

struct PickedPoint {
  std::int64_t row = 0;
  std::array<double, 3> point{};  ///< as given; the third is 0 in 2-D
};

/// Picks by the number of a point among the valid ones.
class PointPicker {
 public:
  /// @param numbers ascending
  explicit PointPicker(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {}

  /// The next block, whose first point is in row `row`, and of whose points `invalid` are not valid.
  void add(std::int64_t row, const PointsView& points, std::int64_t invalid) {
    if (invalid > 0) {
      for (std::int64_t i = 0; i < points.size(); ++i)
        if (points.is_finite(i)) add_range(row, points, i, i + 1);
    } else {
      add_range(row, points, 0, points.size());
    }
  }

  const std::vector<PickedPoint>& picked() const { return picked_; }

 private:
  void add_range(std::int64_t row, const PointsView& points, std::int64_t begin, std::int64_t end) {
    for (; next_ < numbers_.size() && numbers_[next_] < number_ + end - begin; ++next_) {
      const std::int64_t i = begin + numbers_[next_] - number_;
      PickedPoint& picked = picked_.emplace_back();
      picked.row = row + i;
      for (int a = 0; a < points.dimensions; ++a) picked.point[static_cast<std::size_t>(a)] = points.at(i, a);
    }
    number_ += end - begin;
  }

  std::vector<std::int64_t> numbers_;
  std::size_t next_ = 0;     // the next of these numbers
  std::int64_t number_ = 0;  // of the next valid point
  std::vector<PickedPoint> picked_;
};

}  // namespace kann::flow
