// Starting the device of a search, ahead of it or when it needs it.
#pragma once

#include <memory>

#include "kann/search.hpp"

#include "cuda/backend.hpp"

namespace kann {

struct StartedDevice {
  int index = 0;
  CudaStatus status;
  std::shared_ptr<cuda::Staging> staging;  ///< null where the search is to make its own, if it needs them
  double seconds = 0;                      ///< what starting took
};

/// The device of these options, started: the one that was started ahead, or one started now. Blocks.
std::shared_ptr<const StartedDevice> started_device(const SearchOptions& options);

/// Whether started_device() would have to wait.
bool is_starting(const SearchOptions& options);

}  // namespace kann
