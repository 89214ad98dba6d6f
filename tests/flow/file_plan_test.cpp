// Searches that are planned in pieces though they fit in memory.
#include "flow/file_plan.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "formats/write_support.hpp"

namespace kann::test {
namespace {

/// The pieces of a search of a cloud in itself that only writes rows, on a GPU; 0: it is made in memory.
std::int64_t pieces_of(const std::string& file, std::int64_t k, const std::string& only_in_memory = "") {
  flow::Alone alone;
  flow::FileRequest request{.ranks = alone,
                            .data = file,
                            .query = {},
                            .grid_step = {},
                            .grid = {},
                            .of_data = {},
                            .of_query = {},
                            .search = {},
                            .budget = {},
                            .judged = {},
                            .only_writes_rows = true,
                            .only_in_memory = only_in_memory,
                            .products = {},
                            .folder = {}};
  request.search.k = k;
  request.search.method = Method::exact;
  request.search.device.kind = DeviceKind::cuda;
  return flow::outline_search(request).pieces;
}

TEST(FilePlan, ManyRowsOfAGpuAreWrittenInPiecesUnlessOnlyMemoryServes) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.ply");
  put_contents(file,
               "ply\nformat binary_little_endian 1.0\nelement vertex 40000\nproperty float x\nproperty float y\n"
               "property float z\nend_header\n" +
                   std::string(480'000, '\0'));
  EXPECT_EQ(pieces_of(file, 780), 0);  // 249.6 MB of rows
  EXPECT_EQ(pieces_of(file, 782), 1);
  EXPECT_EQ(pieces_of(file, 782, "--group is"), 0);
}

}  // namespace
}  // namespace kann::test
