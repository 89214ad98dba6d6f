// On the CPU: a row depends on its query, the data and the options alone.
#include "pieces.hpp"

namespace kann {
namespace {

TEST(Rows, DependOnTheirQueryAlone) {
  SearchOptions options;
  options.device.kind = DeviceKind::cpu;
  options.threads = 2;
  test::expect_rows_of_pieces(options);
}

}  // namespace
}  // namespace kann
