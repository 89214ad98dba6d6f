// Starting the CUDA device of a search, before the search or when it needs the device.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kann/search.hpp"

#include "cuda/backend.hpp"

namespace kann {

/// A CUDA device that was started, or the reason why it cannot be used.
struct StartedDevice {
  int index = 0;
  CudaStatus status;
  std::shared_ptr<cuda::Staging> staging;  ///< null: the search allocates its own if it needs any
  double seconds = 0;                      ///< how long starting took
  /// Started with it, where several were asked for.
  std::vector<std::shared_ptr<const StartedDevice>> others;
};

namespace detail {

/// The CUDA devices that a choice names, at least one, whether they exist or not. Blocks where that is all of them.
std::vector<int> cuda_devices(const DeviceChoice& choice);

/// These devices: those of `options.start_up` that it has, and others, which start now, side by side. Blocks.
std::vector<std::shared_ptr<const StartedDevice>> started_devices(const SearchOptions& options,
                                                                  std::span<const int> devices);

/// How far the start of a CUDA device is in this process.
struct StartUpState {
  bool has_begun = false;
  double seconds_left = 0;  ///< by the clock and the model; 0 if it has ended
};

/// That of device `index`. Whether there is such a device is not asked.
StartUpState start_up_state(int index);

/// Whether a call of started_devices() would wait for `options.start_up`.
bool is_starting(const SearchOptions& options);

/// Allocates `queries` rows of `k` neighbours, and touches their pages as touch_pages(). Blocks.
/// @throws std::bad_alloc.
Neighbors prefault_result(std::int64_t queries, std::int64_t k, int threads);

}  // namespace detail

}  // namespace kann
