// Data that are not searched as they are given, but on the unit sphere or in a periodic box: prepared once, and
// searched many times.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kann/index.hpp"
#include "kann/search.hpp"

#include "problem/survey.hpp"
#include "search/periodic/placed_cloud.hpp"

namespace kann::detail {

class PlacedData {
 public:
  /// Blocks. @throws Error as on_sphere() and Index do.
  /// @param points must outlive this object
  /// @param options say where they are searched: on the sphere with SearchOptions::sky, else in SearchOptions::periodic
  /// @param has_index whether the caller has an index of `points`, which is used if no point moves
  /// @param extent around all data, if `points` are a part of them: a part is placed as they are
  PlacedData(const PointsView& points, const IndexOptions& of_data, const SearchOptions& options, bool has_index,
             const std::optional<geometry::Box>& extent = {});

  /// Whether these options search the data where they are.
  bool is_for(const SearchOptions& options) const {
    return is_on_sphere_ == options.sky.has_value() && sides_ == options.periodic;
  }

  const PeriodicBox& box() const { return box_; }               ///< without a side, on the sphere
  const PointsView& points() const { return cloud_.points(); }  ///< at the places where they are searched
  const problem::Survey& survey() const { return survey_; }     ///< the survey of points()

  /// Queries where they are searched, which must outlive the answer.
  std::unique_ptr<const PlacedCloud> placed(const PointsView& queries, const SearchOptions& options) const;

  /// The index of points(). @param given the caller's index, if it has one
  const Index& index(const Index* given) const { return index_ ? *index_ : *given; }

 private:
  const std::vector<double> sides_;
  const bool is_on_sphere_;
  const PeriodicBox box_;
  const problem::Survey given_;
  const Placement placement_;
  const PlacedCloud cloud_;
  const problem::Survey survey_;
  std::optional<Index> index_;
};

/// What an index keeps of its data for the place where they were searched last. May be used by several threads.
class KeptPlacedData {
 public:
  /// Prepared by the first call, and by every call with another place than the one before. Blocks.
  std::shared_ptr<const PlacedData> of(const PointsView& points, const IndexOptions& of_data,
                                       const SearchOptions& options) {
    const std::lock_guard lock(mutex_);
    if (!last_ || !last_->is_for(options)) {
      last_.reset();  // frees the memory before more is allocated
      last_ = std::make_shared<const PlacedData>(points, of_data, options, true);
    }
    return last_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const PlacedData> last_;
};

/// An index, and what it keeps for other places.
struct AskedIndex {
  const Index& index;
  KeptPlacedData& kept;
};

}  // namespace kann::detail
