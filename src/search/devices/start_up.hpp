// Starts the CUDA device of a search, before the search or when the search needs it.
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
  double seconds = 0;  ///< how long starting took
  /// Devices that were started together with this one, if several were asked for.
  std::vector<std::shared_ptr<const StartedDevice>> others;
};

namespace detail {

/// The CUDA devices that a choice names: at least one, whether they exist or not. Blocks if it names all.
std::vector<int> cuda_devices(const DeviceChoice& choice);

/// The given devices, started: taken from `options.start_up` where it has them; the others are started now, side by
/// side. Blocks.
std::vector<std::shared_ptr<const StartedDevice>> started_devices(const SearchOptions& options,
                                                                  std::span<const int> devices);

/// How far the start of a CUDA device has come in this process.
struct StartUpState {
  bool has_begun = false;
  double seconds_left = 0;  ///< estimated by the clock and the model; 0 if the start has ended
};

/// The state of device `index`. Does not ask whether there is such a device.
StartUpState start_up_state(int index);

/// Whether a call of started_devices() would wait for `options.start_up`.
bool is_starting(const SearchOptions& options);

/// Allocates `queries` rows of `k` neighbours, and touches their pages by touch_pages(). Blocks.
/// @throws std::bad_alloc.
Neighbors prefault_result(std::int64_t queries, std::int64_t k, int threads);

}  // namespace detail

}  // namespace kann
