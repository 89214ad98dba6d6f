// The choice of a format by content and by extension. The extension follows from the size, so that one input always
// means the same.
#include "targets/read_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string extensions[] = {"", ".ply", ".xyz", ".csv", ".npy", ".las", ".pcd"};
  kann::fuzz::read_cloud({data, size}, extensions[size % std::size(extensions)]);
  return 0;
}
