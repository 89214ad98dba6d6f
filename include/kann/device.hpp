// The devices that a search may run on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace kann {

struct SearchOptions;

/// Where to run. `automatic` takes the device that is expected to end first, its start included, and the CPU if no CUDA
/// device is usable; `cpu` and `cuda` never fall back.
enum class DeviceKind { automatic, cpu, cuda };
struct DeviceChoice {
  DeviceKind kind = DeviceKind::automatic;
  int index = 0;  ///< number of the CUDA device, as CUDA counts those of CUDA_VISIBLE_DEVICES
};

/// The device that a search ran on.
struct DeviceInfo {
  std::string name;  ///< "CPU" or the CUDA device's name
  DeviceKind kind = DeviceKind::cpu;
  int threads = 0;                ///< CPU only
  std::int64_t memory_bytes = 0;  ///< CUDA only: total device memory
};

/// Whether this build can use a CUDA device.
struct CudaStatus {
  bool usable = false;
  std::string reason;  ///< why not, e.g. "built without CUDA"
};

/// The status of CUDA device `index`. Blocks until the CUDA runtime has answered.
CudaStatus cuda_status(int index = 0);

/// The result of start_device(), opaque.
struct StartedDevice;

/// Starts the CUDA device that a search with these options may use: context, kernels and buffers for transfers. Blocks
/// for about 0.2 s at the first call in a process; to start the device while clouds are read, call it on another
/// thread:
///   options.start_up = std::async(std::launch::async, start_device, options);
/// Without a usable device it returns quickly, and the search reports the reason. Returns null with DeviceKind::cpu.
/// @throws std::bad_alloc.
std::shared_ptr<const StartedDevice> start_device(const SearchOptions& options);

}  // namespace kann
