#include "search/devices/device_memory.hpp"

#include <limits>

#include "cuda/backend.hpp"

namespace kann::detail {
namespace {

/// The fraction of a device's memory that a search may take; the CUDA context has some 0.5 GB.
constexpr double k_usable = 0.95;

}  // namespace

double device_bytes(const DeviceLoad& load) {
  // Clusters take 76 to 108 bytes per point, 128 to 136 of float64s (measured), and a block around a tile a quarter
  // more
  if (load.finds_clusters) return 1.1 * load.data * (load.is_float64 ? 170 : 135);
  // Beside inputs and results, a search takes 41 bytes per point of both clouds, 62 in a self-query (measured); the
  // shifted sort has three orders with their keys, and an index keeps the order of the sample beside them
  const double work = !load.is_exact ? 120
                      : load.is_self ? 62
                                     : 41,
               point = load.dimensions * (load.is_float64 ? 12.0 : 4.0);
  const double points = load.is_self ? load.data : load.data + load.queries;
  return 1.1 * (points * (point + work) + 8 * load.k * load.queries);
}

double device_bytes(const problem::Problem& p) {
  return device_bytes({static_cast<double>(p.data_count), static_cast<double>(p.query_count), static_cast<double>(p.k),
                       p.dimensions, p.is_rounded(), p.self_query(), p.method == Method::exact});
}

double usable_memory(int index) {
  if (index >= cuda::device_count()) return std::numeric_limits<double>::infinity();
  return k_usable * cuda::traits(index).memory_bytes;
}

double device_budget(const DeviceChoice& choice) {
  return choice.kind == DeviceKind::cuda ? usable_memory(choice.index) : std::numeric_limits<double>::infinity();
}

}  // namespace kann::detail
