// The scans that bench_scans compares, as functions that launch them, so that only the kernels need nvcc.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <functional>
#include <string>
#include <vector>

namespace kann::bench {

/// Device arrays for a scan: input and output of the largest n, and temporary storage.
struct ScanArrays {
  std::uint32_t* d_in;
  std::uint32_t* d_out;
  void* d_temp;
  std::size_t temp_bytes;
};

/// Scans the first n elements of d_in into d_out. launch() does not block.
struct DeviceScan {
  std::string name;
  std::function<void(const ScanArrays&, std::int64_t n, cudaStream_t)> launch;
};

/// Exclusive segmented scans of `d_in[i] != 0`. Bit i of `heads` says that element i of every 32 begins a segment;
/// element 0 always begins one. The first scan is as published, one element per thread; the others use 16-byte vectors.
std::vector<DeviceScan> segmented_scans(unsigned heads);

/// Exclusive sums: first cub::DeviceScan, then the scan of the library, then variants of its kernel.
std::vector<DeviceScan> single_pass_scans();
/// The maximum temporary storage that any of these needs for n elements.
std::size_t single_pass_temp_bytes(std::int64_t n);

/// Fills d_in with ones, by 16-byte stores; the published times of Table 4 include this.
void fill_ones(std::uint32_t* d_in, std::int64_t n, cudaStream_t stream);
/// Copies d_in to d_out, by 16-byte loads and stores.
void copy_by_kernel(const std::uint32_t* d_in, std::uint32_t* d_out, std::int64_t n, cudaStream_t stream);

}  // namespace kann::bench
