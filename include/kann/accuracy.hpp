// The accuracy of a search result, measured with nanoflann in double precision on the coordinates as read.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kann/groups.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/sky.hpp"

namespace kann {

struct AccuracyOptions {
  std::int64_t sample = 0;            ///< how many valid queries to judge (a fixed pseudo-random subset); 0: all
  bool self_query = false;            ///< the queries are the data …
  bool include_self = false;          ///< … and a point may be its own neighbour
  bool exact = false;                 ///< the rows are to be exact: see Accuracy::identical and Accuracy::faulty
  std::optional<double> radius = {};  ///< SearchOptions::radius: farther points are not expected, and not allowed
  std::vector<double> periodic = {};  ///< SearchOptions::periodic; needs `exact`
  Images images = Images::nearest;    ///< SearchOptions::images
  std::optional<AngleUnit> sky = {};  ///< SearchOptions::sky: the points are angles; needs `exact`
  std::optional<Groups> groups = {};  ///< as search_groups() has them, for the time of the call; needs `exact`
  double tolerance = 0;               ///< relative tolerance of compare(): see Accuracy::nearer
  int threads = 0;                    ///< CPU threads; 0: all the machine has
  /// Called with the fraction that is done, on the thread that called measure_accuracy(), some thousand times. May be
  /// empty.
  std::function<void(double fraction)> on_progress = {};
};

struct Accuracy {
  std::int64_t judged = 0;    ///< valid queries compared
  std::int64_t expected = 0;  ///< neighbours that the judged queries should have; if 0, nothing could be checked
  /// Correct neighbours / expected neighbours, over all judged queries. NaN if no neighbour is expected, so that no
  /// minimum recall is reached.
  double recall = std::numeric_limits<double>::quiet_NaN();
  double distance_ratio = 1;     ///< mean over neighbours of returned distance / exact distance of the same rank
  std::int64_t all_correct = 0;  ///< judged queries whose neighbours are all correct
  /// Judged queries whose ids are those of brute force; with AccuracyOptions::exact in the same order, too.
  std::int64_t identical = 0;
  std::int64_t first_different = -1;  ///< the first judged query whose ids differ; −1: none
  /// Rows of the result, judged or not, in which compare() finds the neighbour of some rank nearer than that of the
  /// reference by more than AccuracyOptions::tolerance, or the reference has none. An exact reference has no such rows.
  std::int64_t nearer = 0;
  std::int64_t first_nearer = -1;  ///< the first of these rows; −1: none
  std::int64_t faulty = 0;         ///< rows, judged or not, that are wrong by their own definition
  std::int64_t first_faulty = -1;  ///< the first of them; −1: none
  std::string first_fault = {};    ///< what is wrong with it
  double seconds = 0;              ///< time to build the tree, to check the rows and to query it
};

/// Compares `neighbors`, one row of k per query, with the exact nearest neighbours. d² is fma(dz, dz, fma(dy, dy,
/// dx·dx)) in double, of float64 differences of the coordinates as read; in 2-D fma(dy, dy, dx·dx). (All are multiplied
/// by a power of two that keeps d² in the range of double, and rounds nothing.) A query expects k neighbours, or all
/// that exist if they are fewer; in a periodic box, d² is as SearchOptions::periodic says; with a radius, those of them
/// within it; with groups, those that they allow. A returned neighbour is correct if its d² is at most the exact k-th
/// d² and its id is not repeated in the row; nothing is forgiven. The exact row, that of brute force, has the k
/// smallest (d², id), ordered by (distance, id), where the distance is the float32 nearest to the root of d². Points
/// with NaN or infinite coordinates are no neighbours, and such queries are not judged.
///
/// Beside that, every row is checked by its own definition: the row of an invalid query is empty (id −1, distance
/// infinite); missing neighbours are at the end; no id is repeated, invalid or, in a self-query, the query's own;
/// distances ascend, and each is that of its id: with `exact` bit for bit, otherwise within the rounding of float32
/// arithmetic on coordinates from which an origin near the middle of the data is subtracted; none is farther than the
/// radius; none is one that the groups do not allow. With `exact` and without a radius, no neighbour is missing that
/// exists. Blocks. By small groups, it takes long: the tree has all groups, and a query visits the points of others
/// that are nearer than its k-th neighbour.
/// @throws Error usage (a negative sample, a radius that is negative or not finite, sides that are none), bad_input
///         (shapes do not match, an id is out of range), resources (memory), and what on_progress throws.
Accuracy measure_accuracy(const Points& data, const Points& queries, const Neighbors& neighbors,
                          const AccuracyOptions& options);

}  // namespace kann
