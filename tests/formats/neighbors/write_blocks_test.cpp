// Results whose rows come in blocks have the bytes of those in memory, in every format.
#include <gtest/gtest.h>

#include "formats/write_support.hpp"

namespace kann::formats {
namespace {

using namespace test;

TEST(WriteBlocks, HaveTheBytesOfAResultInMemory) {
  const TemporaryFolder folder;
  for (const char* format : {"npz", "npy", "csv", "tsv", "bin", "ivecs", "ibin", "fvecs", "fbin"})
    for (const auto& [queries, k] : {std::pair{0, 8}, {1, 1}, {300, 7}, {5000, 3}})
      for (const std::int64_t block : {1, 64, 10000}) {
        const Neighbors n = sample_neighbors(queries, k);
        write_file(folder.file("a.npy"), *neighbor_format(format), n, "{\"k\": 1}", true);
        NeighborFile file(folder.file("b.npy"), *neighbor_format(format), true);
        file.write(rows_of(n, 0, n.queries, block), 2, {.meta_json = "{\"k\": 1}"});
        file.commit();
        EXPECT_EQ(contents(folder.file("a.npy")), contents(folder.file("b.npy"))) << format << " " << queries;
        if (std::string(format) != "npy") continue;
        EXPECT_EQ(contents(folder.file("a.distances.npy")), contents(folder.file("b.distances.npy")));
      }
}

TEST(WriteBlocks, WideIdsAreOf64Bits) {
  const TemporaryFolder folder;
  Neighbors n{2, 1, {5, -1}, {1.5f, std::numeric_limits<float>::infinity()}};
  const auto written = [&](const char* format) {
    NeighborFile file(folder.file("w"), *neighbor_format(format), true);
    const RowBlocks rows{2, 1, true, [&](const RowBlocks::Sink& sink) {
                           const std::int64_t ids[] = {std::int64_t{1} << 40, -1};
                           sink({0, 2, 1, {}, std::span<const std::int64_t>(ids), n.distances});
                         }};
    file.write(rows, 0, {.meta_json = "{}"});
    file.commit();
    return contents(folder.file("w"));
  };
  EXPECT_EQ(written("csv"), "query,rank,id,distance\n0,0,1099511627776,1.5\n1,0,-1,inf\n");
  const std::string npy = written("npy");
  EXPECT_NE(npy.find("'descr': '<i8', 'fortran_order': False, 'shape': (2, 1)"), std::string::npos) << npy;
  std::int64_t ids[2];
  ASSERT_GE(npy.size(), sizeof ids);
  std::memcpy(ids, npy.data() + npy.size() - sizeof ids, sizeof ids);
  EXPECT_EQ(ids[0], std::int64_t{1} << 40);
  EXPECT_EQ(ids[1], -1);
  for (const char* format : {"bin", "ibin", "ivecs"}) {
    const auto error = error_of([&] { written(format); });
    ASSERT_TRUE(error) << format;
    EXPECT_EQ(error->what(), folder.file("w") +
                                 ": this format has ids of 32 bits, which do not hold those of so many "
                                 "points; write npz, npy, csv or tsv");
  }
}

}  // namespace
}  // namespace kann::formats
