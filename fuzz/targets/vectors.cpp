// The readers of float32 without names. The first byte of the input says which: fvecs, fbin or KITTI's frames.
#include "targets/read_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using kann::PointFormat;
  static constexpr PointFormat formats[] = {PointFormat::fvecs, PointFormat::fbin, PointFormat::kitti};
  if (size > 0) kann::fuzz::read_cloud({data + 1, size - 1}, ".bin", {.format = formats[data[0] % std::size(formats)]});
  return 0;
}
