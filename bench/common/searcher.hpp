// Repeated, timed searches of one problem, without the transfer of points and results.
#pragma once

#include <cstdint>
#include <memory>

#include "common/spread.hpp"
#include "problem/problem.hpp"

namespace kann::bench {

/// The cost of one search. `seconds` is on a GPU the device time between two events, with points and results on the
/// device, and on the CPU the wall time from points to results in memory.
struct SearchTiming {
  double seconds = 0;
  double wall_seconds = 0;
  StepSeconds steps;
  std::int64_t peak_bytes = 0;  ///< device memory without inputs and results; 0 on the CPU
};

class Searcher {
 public:
  virtual ~Searcher() = default;
  virtual SearchTiming run() = 0;
  /// Moves out the results of the last run(), one row per query of the problem. Call it once per run().
  virtual Neighbors take() = 0;
};

/// A searcher on the device of `choice`, which is not automatic. `problem` must outlive it.
std::unique_ptr<Searcher> make_searcher(const problem::Problem& problem, DeviceChoice choice);

/// A searcher on a CUDA device; builds without CUDA define it in another file, and it throws.
std::unique_ptr<Searcher> make_cuda_searcher(const problem::Problem& problem, int index);

/// The times of repeated searches, after one that is not counted.
struct SearchMeasurement {
  Spread device, wall;
  StepSeconds steps;  ///< of the fastest run
  std::int64_t peak_bytes = 0;
};
SearchMeasurement measure_search(Searcher& searcher, int repeat);

}  // namespace kann::bench
