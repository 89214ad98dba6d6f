#include "search/search_memory.hpp"

#include "base/host_memory.hpp"
#include "cpu/backend.hpp"
#include "cuda/backend.hpp"
#include "problem/problem.hpp"

namespace kann::detail {

void check_query_memory(int dimensions, std::int64_t queries, const SearchOptions& options, double beside,
                        const char* what) {
  problem::Problem p;
  p.dimensions = dimensions;
  p.query_count = queries;
  p.k = options.k;
  const double bytes_per_query = 4.0 * dimensions, bytes_per_row = 8.0 * static_cast<double>(options.k);
  const double copies = beside + bytes_per_query * static_cast<double>(queries);
  base::check_host_memory(copies + bytes_per_row * static_cast<double>(queries), what);
  const double on_cpu = copies + cpu::least_bytes(p);
  if (options.device.kind == DeviceKind::cuda || on_cpu <= static_cast<double>(base::available_host_memory())) return;
  if (options.device.kind == DeviceKind::automatic && cuda::status(0).usable) return;
  base::check_host_memory(on_cpu, what);
}

}  // namespace kann::detail
