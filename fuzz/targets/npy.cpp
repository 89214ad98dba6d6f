// The NPY reader: plain and structured arrays.
#include "targets/read_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kann::fuzz::read_cloud({data, size}, ".npy", {.format = kann::PointFormat::npy});
  return 0;
}
