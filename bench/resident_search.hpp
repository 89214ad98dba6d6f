// A problem whose points stay on the device: for measuring a search without the way in and out.
#pragma once

#include <cstdint>
#include <memory>

#include "problem/problem.hpp"

namespace kann::cuda {

class Resident {
 public:
  /// Uploads the points of `problem`, which must outlive it, to device `index`. Blocks. @throws Error as solve().
  Resident(const problem::Problem& problem, int index);
  ~Resident();

  struct Timing {
    double seconds;  ///< of device time, by events
    StepSeconds steps;
    std::int64_t peak_bytes;  ///< of device memory, beyond the points and the results
  };

  /// One search, its results left on the device. Blocks.
  Timing run();

  /// The results of the last context. Blocks.
  Neighbors download();

 private:
  struct State;  // defined where CUDA is known
  std::unique_ptr<State> state_;
};

}  // namespace kann::cuda
