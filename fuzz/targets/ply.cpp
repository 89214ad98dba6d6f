// The PLY reader: header and bodies.
#include "targets/read_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kann::fuzz::read_cloud({data, size}, ".ply", {.format = kann::PointFormat::ply});
  return 0;
}
