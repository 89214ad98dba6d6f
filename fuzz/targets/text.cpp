// The text reader: XYZ, TXT and CSV.
#include "targets/read_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kann::fuzz::read_cloud({data, size}, ".xyz", {.format = kann::PointFormat::text});
  return 0;
}
