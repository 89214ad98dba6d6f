// One problem, searched again and again: points in, results out once, the searches between them timed.
#pragma once

#include <cstdint>
#include <memory>

#include "problem/problem.hpp"
#include "spread.hpp"

namespace kann::bench {

/// What one search took. On a GPU `seconds` is the device's by events, with points and results there; on the CPU it is
/// the wall time from points to results in memory.
struct SearchTiming {
  double seconds = 0;
  double wall_seconds = 0;
  StepSeconds steps;
  std::int64_t peak_bytes = 0;  ///< device memory beyond inputs and results; 0 on the CPU
};

class Searcher {
 public:
  virtual ~Searcher() = default;
  virtual SearchTiming run() = 0;
  /// The results of the last run, in the rows of the problem. Call once a run.
  virtual Neighbors take() = 0;
};

/// For the device of `choice` (not automatic). `problem` must outlive the searcher.
std::unique_ptr<Searcher> make_searcher(const problem::Problem& problem, DeviceChoice choice);

/// The searcher of a CUDA device; one file for builds with CUDA, another for those without.
std::unique_ptr<Searcher> make_cuda_searcher(const problem::Problem& problem, int index);

/// Repeated searches.
struct SearchMeasurement {
  Spread device, wall;
  StepSeconds steps;  ///< of the fastest run
  std::int64_t peak_bytes = 0;
};
SearchMeasurement measure_search(Searcher& searcher, int repeat);

}  // namespace kann::bench
