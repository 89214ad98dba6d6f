// The LAS reader.
#include "targets/read_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kann::fuzz::read_cloud({data, size}, ".las", {.format = kann::PointFormat::las});
  return 0;
}
