// The k nearest neighbours of every query: options in, neighbours and a report out.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann {

/// `shifted_sort` is approximate: the nearest among the candidates that S shifted orders offer. `exact` is the k
/// smallest (squared distance, index) of all data points, in the same arithmetic.
enum class Method { shifted_sort, exact };

/// `fused` is the fast pipeline; `paper` runs Park 2017, Steps 0–10, as published (CUDA only; k = 2, 4, 8 or 16,
/// window k). Both give the same bytes at the same shifts, window and bits.
enum class Pipeline { fused, paper };

/// Where to run. `automatic` takes a usable CUDA device, else the CPU; the others never fall back.
enum class DeviceKind { automatic, cpu, cuda };
struct DeviceChoice {
  DeviceKind kind = DeviceKind::automatic;
  int index = 0;  ///< which CUDA device
};

/// What to do with NaN or infinite coordinates. `skip` keeps row numbers: such a point is nobody's neighbour, and such
/// a query gets k missing neighbours.
enum class InvalidPoints { error, skip };

/// What start_device() leaves for a search: an opaque thing.
struct StartedDevice;

struct SearchOptions {
  std::int64_t k = 8;  ///< neighbours a query, at least 1; on a CUDA device at most 1,024
  DeviceChoice device;
  Method method = Method::shifted_sort;
  Pipeline pipeline = Pipeline::fused;
  std::optional<int> shifts;           ///< S, odd; default 3, paper: 2⌈d/2⌉ + 1 (Park 2017, section I)
  std::optional<std::int64_t> window;  ///< W, candidates on each side of a query in each shift; default in 3-D
                                       ///< 2k + 4 + max(0, k − 8) / 4, at least 12, in 2-D k + 24, and 256 more for
                                       ///< queries that stand off the data; paper: k
  std::optional<int> bits;             ///< leading bits of the Morton code that order the points; default all
                                       ///< (these three are for the shifted sort; `exact` takes none)
  bool include_self = false;           ///< in a self-query, keep the point itself
  InvalidPoints invalid = InvalidPoints::error;
  int threads = 0;                   ///< CPU threads; 0: all the machine has
  std::string data_name = "data";    ///< how messages call the data …
  std::string query_name = "query";  ///< … and the queries
  /// Called from the calling thread with a step's name and the fraction of the search that is done: between the shifts
  /// on the CPU, at the start and the end on a CUDA device.
  std::function<void(std::string_view step, double fraction)> on_progress;
  /// A device that is being started meanwhile, which the search waits for when it needs it; invalid: it starts its own.
  std::shared_future<std::shared_ptr<const StartedDevice>> start_up;
};

/// Refuses options that no search can take, whatever its clouds: values out of range, and options that exclude each
/// other. search() does so too; a program may want to know before it reads files. @throws Error usage.
void check_options(const SearchOptions& options);

/// Starts the CUDA device that a search with these options may use: context, kernels, buffers for copies. Blocks, some
/// 0.2 s the first time in a process, which is hidden on a thread of its own while clouds are read:
///   options.start_up = std::async(std::launch::async, start_device, options);
/// Without a usable device it is quick, and the search says what there is to say; null where none may be used.
/// @throws std::bad_alloc.
std::shared_ptr<const StartedDevice> start_device(const SearchOptions& options);

/// The device a search ran on.
struct DeviceInfo {
  std::string name;  ///< "CPU" or the CUDA device's name
  DeviceKind kind = DeviceKind::cpu;
  int threads = 0;                ///< CPU only
  std::int64_t memory_bytes = 0;  ///< CUDA only: total device memory
};

/// Seconds spent in each step, summed over the shifts. Upload and download are zero on the CPU; boxes, unless the
/// method is exact; rows, where the step before writes them. `start_up` is what the search waited for a CUDA device to
/// start.
struct StepSeconds {
  double prepare = 0, start_up = 0, upload = 0, encode = 0, sort = 0, rank = 0, boxes = 0, select = 0, rows = 0,
         download = 0;
};

struct SearchReport {
  DeviceInfo device;
  std::string device_reason;  ///< why DeviceKind::automatic took the CPU; empty where it did not
  std::int64_t data_points = 0, query_points = 0;
  std::int64_t data_skipped = 0, query_skipped = 0;  ///< invalid rows left out
  int dimensions = 0;
  Method method = Method::shifted_sort;
  int shifts = 0;               ///< zero, like the next three, with Method::exact
  std::int64_t window = 0;      ///< candidates on each side of a query in each shift …
  std::int64_t far_window = 0;  ///< … and of a query that stands off the data
  int bits = 0;
  StepSeconds steps;
  double start_up_seconds = 0;         ///< what the CUDA device took to start, waited for or not; 0: none was asked for
  double total_seconds = 0;            ///< points in host memory to results in host memory
  std::int64_t device_peak_bytes = 0;  ///< CUDA only
  std::vector<std::string> warnings;
};

struct SearchResult {
  Neighbors neighbors;
  SearchReport report;
};

/// The k nearest neighbours of each of `queries` in `data`: approximate by shifted sorting (Chan 1997; Li et al. 2012,
/// Algorithm 1; Park 2017), or exact. Blocks until the result is in host memory. The result is a pure function of the
/// points, k, method, shifts, window and bits: the same bytes on every device and thread count.
/// @throws Error usage (an option out of range), bad_input (invalid points, dimensions differ), resources (memory),
///         no_device (CUDA asked for and not usable).
SearchResult search(const Points& data, const Points& queries, const SearchOptions& options);

/// The same for the data themselves as queries. Each point's own index is left out of its row unless
/// `options.include_self`.
SearchResult search_self(const Points& data, const SearchOptions& options);

/// One CUDA device that this build can use, or why there is none.
struct CudaStatus {
  bool usable = false;
  std::string reason;  ///< why not, e.g. "built without CUDA"
};
CudaStatus cuda_status(int index = 0);

/// Version of the library, e.g. "0.1.0", and the commit it was built from ("unknown" outside a checkout).
std::string_view version();
std::string_view build_commit();

}  // namespace kann
