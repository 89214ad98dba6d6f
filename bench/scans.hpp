// The scans that bench_scans compares, as things to launch: the kernels are behind nvcc, the rest is not.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <string>
#include <vector>

namespace kann::bench {

/// Device arrays that a scan may use: `in` and `out` of the largest n, and `temp` for whatever it needs.
struct ScanArrays {
  std::uint32_t* d_in;
  std::uint32_t* d_out;
  void* d_temp;
  std::size_t temp_bytes;
};

/// A scan of the first n elements of d_in into d_out; launch() only queues it.
struct DeviceScan {
  std::string name;
  std::function<void(const ScanArrays&, std::int64_t n, cudaStream_t)> launch;
};

/// Exclusive segmented scans of `d_in[i] != 0`, each 32 elements cut into segments by the bits of `heads` (bit i:
/// element i of the 32 begins one; element 0 always does). First as published, one element a thread; then by 16-byte
/// vectors.
std::vector<DeviceScan> segmented_scans(unsigned heads);

/// Exclusive sums of all: cub::DeviceScan first, then kann's two, then variants of its kernel.
std::vector<DeviceScan> single_pass_scans();
/// Temporary storage that all of these can do with, for n elements.
std::size_t single_pass_temp_bytes(std::int64_t n);

/// d_in = 1, 1, 1, …, by 16-byte stores; the part of Table 4 that is not the scan.
void fill_ones(std::uint32_t* d_in, std::int64_t n, cudaStream_t stream);
/// d_out = d_in by 16-byte loads and stores: what a kernel can reach.
void copy_by_kernel(const std::uint32_t* d_in, std::uint32_t* d_out, std::int64_t n, cudaStream_t stream);

}  // namespace kann::bench
