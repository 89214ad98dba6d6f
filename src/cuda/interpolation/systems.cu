#include "cuda/interpolation/large_systems.cuh"
#include "cuda/interpolation/small_systems.cuh"
#include "cuda/interpolation/systems.hpp"
#include "cuda/runtime/check.hpp"
#include "cuda/runtime/launch.cuh"

namespace kann::cuda {
namespace {

template <int rows, int team, int per_thread>
void launch_small(const RbfSystems& systems, cudaStream_t stream) {
  using Small = SmallSystems<rows, team, per_thread>;
  small_systems_kernel<rows, team, per_thread>
      <<<blocks_for(systems.queries, Small::k_teams), Small::k_threads, 0, stream>>>(systems);
  check_launch("small_systems_kernel");
}

void launch_large(const RbfSystems& systems, int rows, cudaStream_t stream) {
  const int bytes = large_system_numbers(rows) * static_cast<int>(sizeof(double));
  check(cudaFuncSetAttribute(large_systems_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "large_systems_kernel");
  large_systems_kernel<<<blocks_for(systems.queries, 1), k_large_threads, static_cast<std::size_t>(bytes), stream>>>(
      systems, rows);
  check_launch("large_systems_kernel");
}

}  // namespace

void interpolate_systems(const RbfSystems& systems, cudaStream_t stream) {
  if (systems.queries == 0) return;
  const int rows = systems.k + interpolation::monomial_count(
                                   interpolation::monomials_of(systems.options.degree, systems.dimensions));
  if (rows <= 8) return launch_small<8, 8, 1>(systems, stream);
  if (rows <= 12) return launch_small<12, 4, 3>(systems, stream);
  if (rows <= 16) return launch_small<16, 8, 2>(systems, stream);
  if (rows <= 20) return launch_small<20, 8, 3>(systems, stream);
  if (rows <= 24) return launch_small<24, 8, 3>(systems, stream);
  if (rows <= 32) return launch_small<32, 16, 2>(systems, stream);
  launch_large(systems, rows, stream);
}

}  // namespace kann::cuda
