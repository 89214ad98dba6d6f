// Table 4 of the scan paper: the segmented scan of an array of 32-bit flags. The scan of a word is that of the library
// (cuda/paper/segmented_scan.cuh); the kernels here differ in how they load and store.
#include "cuda/paper/segmented_scan.cuh"
#include "cuda/runtime/check.hpp"
#include "scans/scans.hpp"

namespace kann::bench {
namespace {

using cuda::warp::k_all_lanes;
using cuda::warp::k_lanes;

constexpr int k_published_threads = 512;
constexpr int k_threads = 256;

/// As measured in the paper: one element per thread, blocks of 512. A warp loads and stores 128 bytes.
__global__ void __launch_bounds__(k_published_threads)
    one_element_kernel(const std::uint32_t* d_in, std::uint32_t* d_out, std::int64_t n, unsigned heads) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * k_published_threads + threadIdx.x;
  const bool p = i < n && d_in[i] != 0;
  const unsigned sum = cuda::paper::segmented_scan(p, heads);  // all lanes take part
  if (i < n) d_out[i] = sum;
}

/// Vector `v` of the array; elements at n and later are 0.
template <bool streaming>
__device__ __forceinline__ uint4 load_vector(const std::uint32_t* d_in, std::int64_t v, std::int64_t n) {
  const auto* d_vector = reinterpret_cast<const uint4*>(d_in) + v;
  if (4 * v + 4 <= n) return streaming ? __ldcs(d_vector) : *d_vector;
  const auto element = [&](int c) { return 4 * v + c < n ? d_in[4 * v + c] : 0u; };
  return {element(0), element(1), element(2), element(3)};
}

template <bool streaming>
__device__ __forceinline__ void store_vector(std::uint32_t* d_out, std::int64_t v, std::int64_t n, uint4 values) {
  auto* d_vector = reinterpret_cast<uint4*>(d_out) + v;
  if (4 * v + 4 <= n) {
    if (streaming)
      __stcs(d_vector, values);
    else
      *d_vector = values;
    return;
  }
  const std::uint32_t parts[] = {values.x, values.y, values.z, values.w};
  for (int c = 0; c < 4; ++c)
    if (4 * v + c < n) d_out[4 * v + c] = parts[c];
}

/// The ballot of 32 elements in 8 lanes with four elements each: bit 4·s + c is component c of lane s. Called by all
/// lanes of a warp, and valid in all. Takes three shuffles, instead of four ballots and an interleaving of their bits.
__device__ __forceinline__ unsigned ballot_of_vectors(uint4 v) {
  const unsigned nibble = (v.x != 0) | (v.y != 0) << 1 | (v.z != 0) << 2 | (v.w != 0) << 3;
  unsigned word = nibble << 4 * (threadIdx.x % 8);
#pragma unroll
  for (int reach = 1; reach < 8; reach *= 2) word |= __shfl_xor_sync(k_all_lanes, word, reach);
  return word;
}

/// Each thread issues `vectors` 16-byte loads before it uses the first. 8 lanes share a word of 32 elements; the masks
/// stay in registers, since all vectors of a thread have the same position in their words.
template <int vectors, bool streaming>
__global__ void __launch_bounds__(k_threads)
    vectors_kernel(const std::uint32_t* d_in, std::uint32_t* d_out, std::int64_t n, unsigned heads) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * k_threads * vectors + threadIdx.x;
  const int place = static_cast<int>(threadIdx.x % 8) * 4;
  uint4 in[vectors];
#pragma unroll
  for (int i = 0; i < vectors; ++i) in[i] = load_vector<streaming>(d_in, first + i * k_threads, n);
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    const unsigned word = ballot_of_vectors(in[i]);
    const auto sum = [&](int c) { return cuda::paper::segmented_count(word, heads, place + c); };
    store_vector<streaming>(d_out, first + i * k_threads, n, {sum(0), sum(1), sum(2), sum(3)});
  }
}

unsigned blocks(std::int64_t n, std::int64_t per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

template <int vectors, bool streaming>
DeviceScan by_vectors(const char* name, unsigned heads) {
  return {name, [heads](const ScanArrays& a, std::int64_t n, cudaStream_t stream) {
            vectors_kernel<vectors, streaming>
                <<<blocks(n, k_threads * vectors * 4), k_threads, 0, stream>>>(a.d_in, a.d_out, n, heads);
            cuda::check_launch("segmented scan by vectors");
          }};
}

__global__ void fill_kernel(uint4* d_in, std::int64_t vectors) {
  const std::int64_t v = static_cast<std::int64_t>(blockIdx.x) * k_threads + threadIdx.x;
  if (v < vectors) d_in[v] = {1, 1, 1, 1};
}

__global__ void __launch_bounds__(k_threads) copy_kernel(const uint4* d_in, uint4* d_out, std::int64_t vectors) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * k_threads * 4 + threadIdx.x;
  uint4 in[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i * k_threads < vectors) in[i] = __ldcs(d_in + first + i * k_threads);
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + i * k_threads < vectors) __stcs(d_out + first + i * k_threads, in[i]);
}

}  // namespace

std::vector<DeviceScan> segmented_scans(unsigned heads) {
  const DeviceScan published = {
      "one element a thread", [heads](const ScanArrays& a, std::int64_t n, cudaStream_t stream) {
        one_element_kernel<<<blocks(n, k_published_threads), k_published_threads, 0, stream>>>(a.d_in, a.d_out, n,
                                                                                               heads);
        cuda::check_launch("segmented scan");
      }};
  return {published,
          by_vectors<1, false>("1 vector", heads),
          by_vectors<2, false>("2 vectors", heads),
          by_vectors<4, false>("4 vectors", heads),
          by_vectors<1, true>("1 vector, streaming", heads),
          by_vectors<2, true>("2 vectors, streaming", heads),
          by_vectors<4, true>("4 vectors, streaming", heads)};
}

void fill_ones(std::uint32_t* d_in, std::int64_t n, cudaStream_t stream) {
  fill_kernel<<<blocks(n / 4, k_threads), k_threads, 0, stream>>>(reinterpret_cast<uint4*>(d_in), n / 4);
  cuda::check_launch("fill");
}

void copy_by_kernel(const std::uint32_t* d_in, std::uint32_t* d_out, std::int64_t n, cudaStream_t stream) {
  copy_kernel<<<blocks(n / 4, k_threads * 4), k_threads, 0, stream>>>(reinterpret_cast<const uint4*>(d_in),
                                                                      reinterpret_cast<uint4*>(d_out), n / 4);
  cuda::check_launch("copy");
}

}  // namespace kann::bench
