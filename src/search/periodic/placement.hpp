// Where the points of a search in a periodic box are searched: the data within one box, and each query near it.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/points.hpp"

#include "geometry/box.hpp"
#include "problem/survey.hpp"
#include "search/periodic/periodic_box.hpp"

namespace kann::detail {

inline Position position_of(const PointsView& points, std::int64_t i) {
  return {points.at(i, 0), points.at(i, 1), points.dimensions == 3 ? points.at(i, 2) : 0.0};
}

/// The data keep their coordinates along axes where they are at most 1.25 sides wide, which costs their searches
/// nothing; along others they move to remainder(x, side), without rounding. Queries move to the image that is nearest
/// to the middle of the data.
class Placement {
 public:
  /// Both views outlive this. Blocks. The surveys are those of the clouds.
  Placement(const PeriodicBox& box, const PointsView& data, const problem::Survey& data_survey,
            const PointsView& queries, const problem::Survey& query_survey, int threads);
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  const PeriodicBox& box() const { return box_; }

  /// The data where they are searched, in their order; invalid points stay invalid.
  const PointsView& data() const { return data_; }
  bool moves_data() const { return moves_data_; }

  /// The box of data().
  const geometry::Box& extent() const { return extent_; }

  /// Where query `q` is searched first.
  struct Place {
    Position given, at;
    bool is_given;        ///< at = given, and the data are where they were given
    double rounding = 0;  ///< η of margin.hpp
  };
  Place place(const Position& q) const;

  /// Whether no difference between coordinates or images of them is rounded, so that distances to images are those of
  /// the definition, bit for bit.
  bool is_exact() const { return is_exact_; }

  /// Whether rounding may mistake an image for the next, along some axis.
  bool is_blurred(const Place& place) const;

 private:
  bool moves(int axis) const { return moves_[axis]; }
  void move_data(const PointsView& given, int threads);

  PeriodicBox box_;
  PointsView data_;
  Points moved_;
  geometry::Box extent_;
  bool moves_[3] = {};
  bool moves_data_ = false, is_exact_ = false;
  double largest_[3] = {};  ///< |coordinate| of the data as given
};

}  // namespace kann::detail
