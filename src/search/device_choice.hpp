// Which device a search runs on.
#pragma once

#include <string>
#include <vector>

#include "kann/search.hpp"

#include "cuda/backend.hpp"
#include "problem/problem.hpp"

namespace kann::detail {

struct ChosenDevice {
  DeviceKind kind = DeviceKind::cpu;  ///< cpu or cuda
  std::string reason;                 ///< why DeviceKind::automatic took the CPU; else empty
  std::vector<std::string> warnings;
  cuda::Prewarmed prewarmed;    ///< of the CUDA device
  double start_up_seconds = 0;  ///< what the CUDA device took to start
  double waited_seconds = 0;    ///< for how much of that this function waited
};

/// The device for `problem`, started if it is a CUDA device; an explicit choice never becomes another. Blocks until the
/// device has started.
/// @throws Error no_device, resources.
ChosenDevice choose_device(const problem::Problem& problem, const SearchOptions& options);

}  // namespace kann::detail
