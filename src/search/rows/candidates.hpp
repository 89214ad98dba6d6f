// Candidates for the rows of queries, as searches find them: with squared distances in float64, so that those of
// several searches can be merged, and with ids that are numbers in all of the data.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/sky.hpp"

#include "geometry/distance.hpp"
#include "geometry/exact_neighbor.hpp"
#include "geometry/within_radius.hpp"

namespace kann::detail {

struct Candidate {
  double sq_dist;
  std::int64_t id : 63;         ///< −1: there is none
  std::uint64_t is_beyond : 1;  ///< it is beyond the radius: it keeps its place in the row, but not in the result

  static Candidate missing() { return {std::numeric_limits<double>::infinity(), -1, false}; }

  /// The order of the exact answer; what is missing comes last.
  bool operator<(const Candidate& other) const {
    return sq_dist < other.sq_dist ||
           (sq_dist == other.sq_dist && static_cast<std::uint64_t>(id) < static_cast<std::uint64_t>(other.id));
  }
};

/// Whether a candidate appears in the result: it exists, and is not beyond the radius.
inline bool is_given(const Candidate& candidate) { return candidate.id >= 0 && !candidate.is_beyond; }

/// A data point as a candidate. @param point, query d coordinates each
/// @param is_within null: there is no radius
template <class T>
Candidate candidate(const T* point, std::int64_t id, const T* query, std::size_t dimensions,
                    const geometry::WithinRadius* is_within = nullptr) {
  constexpr std::int64_t largest_id = (std::int64_t{1} << 62) - 1;  // tells the compiler that 63 bits hold an id
  std::array<double, 3> d{};
  for (std::size_t a = 0; a < dimensions; ++a) d[a] = double{query[a]} - double{point[a]};
  return {geometry::sq_distance_3d(d[0], d[1], d[2]), id & largest_id, is_within && !(*is_within)(d)};
}

/// Puts a row, which is mostly in the order of its float32 distances, in the order of candidates.
void sort(std::span<Candidate> row);

/// Rows of k candidates each, one after the other.
using CandidateRows = Array<Candidate>;

/// Turns the rows that a search without a radius has `found` in a tile into candidates, each row in their order.
/// @param tile, queries row-major coordinates
/// @param ids the numbers of the tile's points in all of the data
template <class T>
CandidateRows rows_in_tile(std::span<const T> tile, std::span<const std::int64_t> ids, std::span<const T> queries,
                           const Neighbors& found, int dimensions, std::optional<double> radius, int threads);

/// Rows without the data point that is the query itself, which has its number; they are shorter by one. Where several
/// points share its place, it may be missing in its row already: the last candidate is left out then.
CandidateRows without_own(std::span<const std::int64_t> queries, std::span<const Candidate> rows, int threads);

/// Merges two rows that have no candidate in common: `row` keeps the first k of both. `scratch` is memory to work in.
void merge(std::span<Candidate> row, std::span<const Candidate> other, std::vector<Candidate>& scratch);

/// The same for a row and those of images of its query, one after the other. A point that several have counts once,
/// with its smallest distance. @param may_repeat whether several may have one
void merge_images(std::span<Candidate> row, std::span<const Candidate> of_images, bool may_repeat,
                  std::vector<Candidate>& scratch);

/// Writes a row as the result has it: neighbours in the order of their distances in float32, and of their ids where
/// these are equal; then missing ones. @param sky SearchOptions::sky: the squared distances are those of unit vectors
template <class Id>
void write_row(std::span<const Candidate> row, std::optional<AngleUnit> sky, std::span<Id> ids,
               std::span<float> distances) {
  std::size_t given = 0;
  for (const Candidate& candidate : row) {
    if (!is_given(candidate)) continue;
    distances[given] =
        sky ? static_cast<float>(sphere_distance(candidate.sq_dist, *sky)) : geometry::rounded_root(candidate.sq_dist);
    ids[given++] = static_cast<Id>(candidate.id);
  }
  std::ranges::fill(ids.subspan(given), Id{k_missing_id});
  std::ranges::fill(distances.subspan(given), std::numeric_limits<float>::infinity());
  // Neighbours that float64 tells apart may be equally far as float32
  for (std::size_t begin = 0, end; begin < given; begin = end) {
    for (end = begin + 1; end < given && distances[end] == distances[begin];) ++end;
    if (end - begin > 1) std::ranges::sort(ids.subspan(begin, end - begin));
  }
}

}  // namespace kann::detail
