// How good an answer is, judged by nanoflann in double precision on the coordinates as read.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann {

struct AccuracyOptions {
  std::int64_t sample = 0;    ///< judge this many of the valid queries, evenly spaced; 0: all of them
  bool self_query = false;    ///< the queries are the data …
  bool include_self = false;  ///< … and a point may be its own neighbour
  int threads = 0;            ///< 0: all the machine has
};

struct Accuracy {
  std::int64_t judged = 0;       ///< queries compared (invalid queries are not)
  double recall = 1;             ///< tie-aware: neighbours whose true distance is at most the exact k-th, over all due
  double distance_ratio = 1;     ///< mean over neighbours of returned distance / exact distance of the same rank
  std::int64_t all_correct = 0;  ///< queries of which every neighbour counts
  double seconds = 0;            ///< building the tree and querying it
};

/// Compares `neighbors` with the exact answer. A returned neighbour counts when its true distance, computed in double
/// from the coordinates as read, is at most the exact k-th distance (up to the rounding of the input to float32, on
/// which the answer is defined) and its id is not repeated in the row. A query with fewer than k points to find is
/// due that many. Points with NaN or infinite coordinates are nobody's neighbours. Blocks; threads as in `options`.
/// @throws Error bad_input (shapes do not match, an id is out of range), resources.
Accuracy measure_accuracy(const Points& data, const Points& queries, const Neighbors& neighbors,
                          const AccuracyOptions& options);

}  // namespace kann
