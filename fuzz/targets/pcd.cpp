// The PCD reader.
#include "targets/read_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kann::fuzz::read_cloud({data, size}, ".pcd", {.format = kann::PointFormat::pcd});
  return 0;
}
