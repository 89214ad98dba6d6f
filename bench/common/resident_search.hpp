// Repeated searches of points that stay on the device, to measure a search without transfers.
#pragma once

#include <cstdint>
#include <memory>

#include "problem/problem.hpp"

namespace kann::cuda {

class Resident {
 public:
  /// Uploads the points of `problem`, which must outlive this, to device `index`. Blocks. @throws Error, like solve().
  Resident(const problem::Problem& problem, int index);
  ~Resident();

  struct Timing {
    double seconds;  ///< device time between two events
    StepSeconds steps;
    std::int64_t peak_bytes;  ///< of device memory, without the points and the results
  };

  /// Runs one search, whose results stay on the device. Blocks.
  Timing run();

  /// Downloads the results of the last run(). Blocks.
  Neighbors download();

 private:
  struct State;  // defined in the .cpp, since it needs CUDA
  std::unique_ptr<State> state_;
};

}  // namespace kann::cuda
