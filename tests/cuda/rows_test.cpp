// On a device: a row depends on its query, the data and the options alone.
#include "cuda/gpu.hpp"
#include "pieces.hpp"

namespace kann {
namespace {

class CudaRowsLarge : public test::GpuTest {};

TEST_F(CudaRowsLarge, DependOnTheirQueryAlone) {
  SearchOptions options;
  options.device.kind = DeviceKind::cuda;
  options.threads = 2;
  test::expect_rows_of_pieces(options);
}

}  // namespace
}  // namespace kann
