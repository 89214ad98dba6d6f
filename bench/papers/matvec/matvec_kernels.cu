// Matrix × vector by the versions of the paper (section 5; code 6 of the appendix).
#include "cuda/runtime/launch.cuh"
#include "papers/matvec/matvec.hpp"

namespace kann::bench {
namespace {

constexpr int k_threads = 512;         // the maximum per block of the paper's GPU (5.2.1)
constexpr int k_row_threads = 128;     // before that optimisation; the paper does not say how many
constexpr int k_published_blocks = 2;  // per multiprocessor: as many as its 1,024 threads allowed
constexpr int k_half_warp = 16;

/// 5.1: a thread per row. Neighbouring threads read elements that are a row apart.
__global__ void __launch_bounds__(k_threads) thread_per_row_kernel(MatvecArrays arrays) {
  for (std::int64_t y = cuda::first_element(); y < arrays.n; y += cuda::element_stride()) {
    float sum = 0;
    for (int x = 0; x < arrays.n; ++x) sum = fmaf(arrays.d_matrix[y * arrays.n + x], arrays.d_vector[x], sum);
    arrays.d_result[y] = sum;
  }
}

/// A thread's part of row y: the columns that are its number modulo the threads of the block.
template <int threads, bool by_texture>
__device__ __forceinline__ float part_of_row(const MatvecArrays& arrays, std::int64_t y) {
  float sum = 0;
  for (int x = static_cast<int>(threadIdx.x); x < arrays.n; x += threads) {
    const float factor = by_texture ? tex1Dfetch<float>(arrays.vector_texture, x) : arrays.d_vector[x];
    sum = fmaf(arrays.d_matrix[y * arrays.n + x], factor, sum);
  }
  return sum;
}

/// The sum over the block by halves, with an if and a barrier per step. Called by all threads; valid in thread 0.
template <int threads>
__device__ __forceinline__ float sum_by_halves(float* sums, float part) {
  const int thread = static_cast<int>(threadIdx.x);
  sums[thread] = part;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  return sums[0];
}

/// One step within groups of 16 threads, which the paper's GPU ran in lockstep; later ones do not, hence the barriers
/// of the warp. All threads add, without an if. The paper adds sums[thread + reach], which may be that of another group
/// where the result is not needed; the partner here never is.
__device__ __forceinline__ void add_partner(float* sums, int reach) {
  const int thread = static_cast<int>(threadIdx.x);
  const float partner = sums[thread ^ reach];
  __syncwarp();
  sums[thread] += partner;
  __syncwarp();
}

/// 5.2.3, code 6: the sum over 512 threads with two barriers of the block. Called by all threads; valid in thread 0.
/// `sums` has k_threads + 32 places. The printed code has lost an index: 32 threads fetch the sums of the 32 groups.
__device__ __forceinline__ float sum_by_half_warps(float* sums, float part) {
  const int thread = static_cast<int>(threadIdx.x);
  sums[thread] = part;
  __syncwarp();
  add_partner(sums, 8);
  add_partner(sums, 4);
  add_partner(sums, 2);
  __syncthreads();  // the groups belong to several warps
  if (thread >= 32) return 0;
  sums[k_threads + thread] = sums[thread * k_half_warp] + sums[thread * k_half_warp + 1];
  __syncwarp();
  const float upper = thread < k_half_warp ? sums[k_threads + k_half_warp + thread] : 0;
  const float lower = sums[k_threads + thread % k_half_warp];
  __syncwarp();
  sums[thread] = lower + upper;
  __syncwarp();
  for (int reach = 8; reach > 0; reach /= 2) add_partner(sums, reach);
  return sums[0];
}

/// 5.2: a block per row, and the next row after as many rows as there are blocks.
template <int threads, bool by_texture, bool by_half_warps>
__global__ void __launch_bounds__(threads) block_per_row_kernel(MatvecArrays arrays) {
  __shared__ float sums[threads + 32];
  for (std::int64_t y = blockIdx.x; y < arrays.n; y += gridDim.x) {
    const float part = part_of_row<threads, by_texture>(arrays, y);
    const float sum = by_half_warps ? sum_by_half_warps(sums, part) : sum_by_halves<threads>(sums, part);
    if (threadIdx.x == 0) arrays.d_result[y] = sum;
    __syncthreads();  // the next row overwrites the sums
  }
}

void launch_thread_per_row(const MatvecArrays& arrays, cudaStream_t stream) {
  thread_per_row_kernel<<<cuda::blocks_for(arrays.n, k_threads), k_threads, 0, stream>>>(arrays);
  cuda::check_launch("matrix × vector, a thread per row");
}

void launch_block_per_row(const MatvecArrays& arrays, cudaStream_t stream) {
  block_per_row_kernel<k_row_threads, false, false>
      <<<static_cast<unsigned>(arrays.n), k_row_threads, 0, stream>>>(arrays);
  cuda::check_launch("matrix × vector, a block per row");
}

template <bool by_texture, bool by_half_warps, int blocks>
void launch_resident(const MatvecArrays& arrays, cudaStream_t stream) {
  block_per_row_kernel<k_threads, by_texture, by_half_warps>
      <<<cuda::resident_blocks(blocks), k_threads, 0, stream>>>(arrays);
  cuda::check_launch("matrix × vector, resident blocks");
}

}  // namespace

std::vector<MatvecWay> matvec_ways() {
  return {{"thread per row", launch_thread_per_row},
          {"block per row", launch_block_per_row},
          {"+ 2 blocks of 512 per multiprocessor", launch_resident<false, false, k_published_blocks>},
          {"+ vector by texture", launch_resident<true, false, k_published_blocks>},
          {"+ sum without ifs, two barriers", launch_resident<true, true, k_published_blocks>},
          {"the same, 4 blocks per multiprocessor", launch_resident<true, true, 4>},
          {"the same, vector from global memory", launch_resident<false, true, 4>}};
}

}  // namespace kann::bench
