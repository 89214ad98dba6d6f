// Lists that are kept by blocks until they are written, and how their blocks are chosen.
#include "flow/rows/result_store.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "kann/io.hpp"
#include "kann/radius.hpp"

#include "flow/ranks/threads.hpp"
#include "flow/rows/list_counts.hpp"
#include "taken_lists.hpp"

namespace kann::test {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Data of more than 2³¹ points, of which these lists name some.
TEST(ResultStore, HoldsAndWritesWideIds) {
  constexpr std::int64_t far = std::int64_t{3} << 31;
  const std::vector<std::int64_t> queries{4, 1}, points{far + 2, far + 1, 7};
  NeighborLists found;
  found.begins = {0, 3, 4};
  found.ids = {0, 1, 2, 2};
  found.distances = {1, 1, 2, 0};
  base::MemoryBudget memory;
  const auto folder = std::filesystem::temp_directory_path();
  flow::run_on_threads(2, [&](flow::Communicator& ranks) {
    flow::ResultStore store(ranks, {.data_points = far + 9}, {0, 2, 3, 5}, {folder, 1000, 2, &memory}, 2);
    if (ranks.rank() == 1) store.add({queries, found, points});
    store.deliver();
    if (ranks.rank() > 0) return store.serve();
    const RowBlocks lists = store.results();
    const Lists want{{0, 0, 1, 1, 1, 4}, {7, far + 1, far + 2, 7}, {0, 1, 1, 2}};
    EXPECT_TRUE(taken(lists) == want);
    const auto written = [&](const char* name, NeighborFormat format) {
      const std::string path = folder / name;
      NeighborFile file(path, format, true);
      file.write(lists, 1, {"{}"});
      file.commit();
      const std::string bytes = content_of(path);
      std::filesystem::remove(path);
      return bytes;
    };
    EXPECT_EQ(written("kann_wide.csv", NeighborFormat::csv),
              "query,rank,id,distance\n1,0,7,0\n4,0,6442450945,1\n4,1,6442450946,1\n4,2,7,2\n");
    EXPECT_EQ(written("kann_wide.mtx", NeighborFormat::mtx),
              "%%MatrixMarket matrix coordinate real general\n5 6442450953 4\n2 8 0\n5 6442450946 1\n5 6442450947 1\n"
              "5 8 2\n");
    const std::string npz = written("kann_wide.npz", NeighborFormat::npz);
    const std::string ids(reinterpret_cast<const char*>(want.ids.data()), want.ids.size() * sizeof(std::int64_t));
    EXPECT_NE(npz.find("'<i8', 'fortran_order': False, 'shape': (4,)"), std::string::npos);
    EXPECT_NE(npz.find(ids), std::string::npos);
    store.end_service();
  });
}

/// No block has too many neighbours or queries, unless it is one group.
TEST(ListCounts, MakeBlocks) {
  flow::ListCounts counts(6);
  for (const auto& [query, neighbors] : {std::pair{0, 3}, {1, 3}, {2, 9}, {3, 0}, {4, 0}, {5, 1}})
    counts.add(query, neighbors);
  counts.add(1, -1);
  EXPECT_EQ(counts.total(), 15);
  EXPECT_EQ(counts.blocks(5, 10), (flow::BlockBegins{0, 2, 3, 6}));
  EXPECT_EQ(counts.blocks(5, 2), (flow::BlockBegins{0, 2, 3, 5, 6}));
  EXPECT_EQ(counts.blocks(100, 100), (flow::BlockBegins{0, 6}));
  EXPECT_EQ(flow::ListCounts(0).blocks(5, 5), (flow::BlockBegins{0}));
}

}  // namespace
}  // namespace kann::test
