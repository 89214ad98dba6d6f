// The accuracy of a search result, measured with nanoflann in double precision on the coordinates as read.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann {

struct AccuracyOptions {
  std::int64_t sample = 0;    ///< number of valid queries to judge, evenly spaced; 0: all
  bool self_query = false;    ///< the queries are the data …
  bool include_self = false;  ///< … and a point may be its own neighbour
  int threads = 0;            ///< CPU threads; 0: all the machine has
};

struct Accuracy {
  std::int64_t judged = 0;       ///< valid queries compared
  double recall = 1;             ///< correct neighbours / expected neighbours, over all judged queries
  double distance_ratio = 1;     ///< mean over neighbours of returned distance / exact distance of the same rank
  std::int64_t all_correct = 0;  ///< judged queries whose neighbours are all correct
  double seconds = 0;            ///< time to build the tree and to query it
};

/// Compares `neighbors`, one row of k per query, with the exact nearest neighbours. A query expects k neighbours, or
/// all that exist if they are fewer. A returned neighbour is correct if its distance, computed in double from
/// the coordinates as read, is at most the exact k-th distance and its id is not repeated in the row; ties thus count
/// as correct, and so do errors within the rounding of the input to float32, on which the answer is defined. Points
/// with NaN or infinite coordinates are no neighbours, and such queries are not judged. Blocks.
/// @throws Error usage (negative sample), bad_input (shapes do not match, an id is out of range), resources (memory).
Accuracy measure_accuracy(const Points& data, const Points& queries, const Neighbors& neighbors,
                          const AccuracyOptions& options);

}  // namespace kann
