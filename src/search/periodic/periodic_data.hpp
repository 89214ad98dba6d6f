// The data in a periodic box, prepared once and searched many times.
#pragma once

#include <optional>
#include <vector>

#include "kann/index.hpp"

#include "problem/survey.hpp"
#include "search/periodic/placed_cloud.hpp"

namespace kann::detail {

class PeriodicData {
 public:
  /// Blocks. @throws Error as Index does.
  /// @param points must outlive this object
  /// @param has_index whether the caller has an index of `points`, which is used if no point moves
  /// @param extent around all data, if `points` are a part of them: a part is placed as they are
  PeriodicData(const PointsView& points, const IndexOptions& options, const std::vector<double>& sides, bool has_index,
               const std::optional<geometry::Box>& extent = {});

  const std::vector<double>& sides() const { return sides_; }
  const PeriodicBox& box() const { return box_; }
  const Placement& placement() const { return placement_; }
  const PointsView& points() const { return cloud_.points(); }  ///< at the places where they are searched
  const problem::Survey& survey() const { return survey_; }     ///< the survey of points()

  /// The index of points(). @param given the caller's index, if it has one
  const Index& index(const Index* given) const { return index_ ? *index_ : *given; }

 private:
  std::vector<double> sides_;
  PeriodicBox box_;
  problem::Survey given_;
  Placement placement_;
  PlacedCloud cloud_;
  problem::Survey survey_;
  std::optional<Index> index_;
};

}  // namespace kann::detail
