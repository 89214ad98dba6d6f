#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "cuda/paper/single_pass_scan.cuh"
#include "scans/blelloch_scan.cuh"
#include "scans/scan_variants.cuh"
#include "scans/scans.hpp"

namespace kann::bench {
namespace {

constexpr int k_smallest_tile = 128 * 16;

std::size_t cub_temp_bytes(std::int64_t n) {
  std::size_t bytes = 0;
  const std::uint32_t* d_none = nullptr;
  cuda::check(
      cub::DeviceScan::ExclusiveSum(nullptr, bytes, d_none, static_cast<std::uint32_t*>(nullptr), static_cast<int>(n)),
      "cub::DeviceScan: size");
  return bytes;
}

DeviceScan library_scan(const char* name) {
  return {name, [](const ScanArrays& a, std::int64_t n, cudaStream_t stream) {
            cuda::paper::single_pass_exclusive_sum(a.d_temp, a.temp_bytes, a.d_in, a.d_out, n, stream);
          }};
}

template <int threads, int items, Numbering numbering, int sleep_ns = 0,
          class Scan = cuda::paper::BlockScan<std::uint32_t, threads>>
DeviceScan variant(const char* name) {
  static_assert(threads * items >= k_smallest_tile);
  return {name, [](const ScanArrays& a, std::int64_t n, cudaStream_t stream) {
            scan_variant<threads, items, numbering, sleep_ns, Scan>(a.d_in, a.d_out, n,
                                                                    static_cast<std::uint64_t*>(a.d_temp), stream);
          }};
}

}  // namespace

std::size_t single_pass_temp_bytes(std::int64_t n) {
  const auto statuses = static_cast<std::size_t>(2 + n / k_smallest_tile) * sizeof(std::uint64_t);
  return std::max({cub_temp_bytes(n), cuda::paper::single_pass_scan_bytes(n), statuses});
}

std::vector<DeviceScan> single_pass_scans() {
  const DeviceScan cub_scan = {
      "cub", [](const ScanArrays& a, std::int64_t n, cudaStream_t stream) {
        std::size_t bytes = a.temp_bytes;
        cuda::check(cub::DeviceScan::ExclusiveSum(a.d_temp, bytes, a.d_in, a.d_out, static_cast<int>(n), stream),
                    "cub::DeviceScan");
      }};
  return {cub_scan,
          library_scan("Kogge-Stone"),
          variant<128, 32, Numbering::counter, 0, BlellochBlockScan<std::uint32_t, 128>>("Blelloch"),
          variant<128, 16, Numbering::counter>("128x16"),
          variant<256, 16, Numbering::counter>("256x16"),
          variant<512, 16, Numbering::counter>("512x16"),
          variant<128, 32, Numbering::counter>("128x32"),
          variant<256, 32, Numbering::counter>("256x32"),
          variant<256, 16, Numbering::counter, 100>("256x16 sleep"),
          variant<128, 32, Numbering::counter, 100>("128x32 sleep"),
          variant<256, 32, Numbering::counter, 100>("256x32 sleep"),
          variant<256, 16, Numbering::block>("256x16 block"),
          variant<256, 32, Numbering::block>("256x32 block"),
          variant<256, 16, Numbering::persistent>("256x16 persist"),
          variant<256, 32, Numbering::persistent>("256x32 persist"),
          variant<256, 32, Numbering::persistent, 100>("256x32 p. sleep")};
}

}  // namespace kann::bench
