// The choice of the device that a search runs on.
#pragma once

#include <string>
#include <vector>

#include "kann/search.hpp"

#include "cuda/backend.hpp"
#include "problem/problem.hpp"

namespace kann::detail {

struct ChosenDevice {
  DeviceKind kind = DeviceKind::cpu;  ///< cpu or cuda
  std::string reason;                 ///< why DeviceKind::automatic chose it; empty if it was asked for
  cuda::Prewarmed prewarmed;          ///< for the search on the CUDA device
  double start_up_seconds = 0;        ///< how long the CUDA device took to start
  double waited_seconds = 0;          ///< how long choose_device() waited for that
};

/// Chooses the device for `problem`, and starts it if it is a CUDA device. An explicit choice is never replaced. Blocks
/// until the device has started.
/// @param data_are_ordered as in SearchSize
/// @throws Error no_device, resources.
ChosenDevice choose_device(const problem::Problem& problem, const SearchOptions& options, bool data_are_ordered);

}  // namespace kann::detail
