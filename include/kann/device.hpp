// The devices that a search may run on, and a forecast of which finishes first.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kann {

struct SearchOptions;

/// Where to run. `automatic` takes the device that is expected to end first (forecast_device()), and the CPU if no CUDA
/// device is usable; `cpu` and `cuda` never fall back.
enum class DeviceKind { automatic, cpu, cuda };
/// With `cuda`, several devices may be named: each gets all data, and some of the queries, more if it is faster.
struct DeviceChoice {
  DeviceKind kind = DeviceKind::automatic;
  int index = 0;                 ///< number of the CUDA device, as CUDA counts those of CUDA_VISIBLE_DEVICES
  std::vector<int> others = {};  ///< further CUDA devices; one that is named twice gets two parts of the queries
  bool all = false;              ///< use all CUDA devices, whatever `index` and `others` are
};

/// The device that a search ran on.
struct DeviceInfo {
  std::string name;  ///< "CPU" or the CUDA device's name
  DeviceKind kind = DeviceKind::cpu;
  int threads = 0;                ///< CPU only
  std::int64_t memory_bytes = 0;  ///< CUDA only: total device memory
  int index = 0;                  ///< CUDA only: number of the device
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

/// The size of a search, exact or roughly.
struct SearchSize {
  std::int64_t data_points = 0, query_points = 0;
  int dimensions = 3;
  bool is_self = false;           ///< the queries are the data
  bool data_are_ordered = false;  ///< an Index has searched these data before
  bool finds_clusters = false;    ///< kann::cluster() of the data, without queries
};

/// When searches would end, in seconds from now.
struct DeviceForecast {
  double cpu_seconds = 0;   ///< on the CPU, with the threads of the options
  double cuda_seconds = 0;  ///< on a CUDA device, including the rest of its start-up
  std::string reason;       ///< both times, in words

  DeviceKind first() const { return cpu_seconds <= cuda_seconds ? DeviceKind::cpu : DeviceKind::cuda; }
};

/// Forecasts searches of these sizes, one after the other, by a model whose constants were measured (a Xeon and an
/// H200; smooth clouds). DeviceKind::automatic follows it, search by search. A program that plans several searches, or
/// other work before them, can use the forecast to decide whether to start the device early. Includes the start of the
/// device unless this process has started it. Does not block, and does not look for a device.
/// @param seconds_before seconds until the first search; a device that starts now starts up during them
DeviceForecast forecast_device(const SearchOptions& options, std::span<const SearchSize> searches,
                               double seconds_before = 0);

}  // namespace kann
