// SearchOptions::sky: a search among the unit vectors of points on a sphere.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "kann/index.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

namespace kann::detail {

/// Data on the sphere, ready to be searched.
struct SphereData {
  SphereData(const PointsView& given, const IndexOptions& options);

  const Points points;
  const Index index;
};

/// What an index keeps for searches on the sphere: made by the first of them. May be used by several threads.
class KeptSphereData {
 public:
  /// Blocks. @throws Error as on_sphere() and Index.
  std::shared_ptr<const SphereData> of(const PointsView& given, const IndexOptions& options) {
    const std::lock_guard lock(mutex_);
    if (!data_) data_ = std::make_shared<const SphereData>(given, options);
    return data_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const SphereData> data_;
};

/// What kann::search() and Index::search() do with SearchOptions::sky, and without queries search_self(). Block.
/// @param kept null: the data are searched only once
/// @throws Error as kann::search() does.
SearchResult search_on_sphere(const PointsView& data, KeptSphereData* kept, const std::optional<PointsView>& queries,
                              const IndexOptions& of_data, const SearchOptions& options);

/// The same for search_radius(), whose rules about `most_listed` hold here, too.
RadiusResult search_radius_on_sphere(const PointsView& data, KeptSphereData* kept,
                                     const std::optional<PointsView>& queries, const IndexOptions& of_data,
                                     const SearchOptions& options, std::int64_t most_listed);

/// The options of the search among unit vectors: exact, with the chord of the radius.
SearchOptions options_of_vectors(const SearchOptions& options);

/// Turns rows that were found among unit vectors into rows of the sphere: sets the distances, and puts each row into
/// the order of (distance, id). Blocks.
void set_sphere_distances(const PointsView& data, const PointsView& queries, AngleUnit unit, int threads,
                          Neighbors& rows);
void set_sphere_distances(const PointsView& data, const PointsView& queries, AngleUnit unit, int threads,
                          NeighborLists& lists);

}  // namespace kann::detail
