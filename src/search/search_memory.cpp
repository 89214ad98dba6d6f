#include "search/search_memory.hpp"

#include <algorithm>

#include "base/host_memory.hpp"
#include "cpu/backend.hpp"
#include "cuda/backend.hpp"
#include "problem/problem.hpp"

namespace kann::detail {

cpu::PointBytes point_bytes(const PointLoad& load) {
  cpu::PointBytes bytes;
  if (!load.is_on_gpu)
    bytes = cpu::point_bytes({load.dimensions, load.shifts, load.is_float64, load.is_self, load.keeps_orders});
  // Valid points as problem::PreparedData and problem::Prepared have them: in their frame, and in float64 where they
  // are not given so; with the numbers of their rows
  double prepared = 0;
  if (load.is_float64 || load.may_skip) prepared += load.dimensions * sizeof(float);
  if (load.is_float64 && (load.is_mixed || load.may_skip)) prepared += load.dimensions * sizeof(double);
  if (load.may_skip) prepared += sizeof(std::int32_t);
  bytes.kept += prepared;
  // The rows of valid queries are copied to those of all (problem::restore_rows()) when the orders are gone
  if (load.may_skip) bytes.query = std::max(bytes.query, 8.0 * static_cast<double>(load.k));
  if (!load.is_self) bytes.query += prepared;
  return bytes;
}

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
  if (options.device.kind == DeviceKind::cuda || base::has_host_memory(on_cpu)) return;
  if (options.device.kind == DeviceKind::automatic && cuda::status(0).usable) return;
  base::check_host_memory(on_cpu, what);
}

}  // namespace kann::detail
