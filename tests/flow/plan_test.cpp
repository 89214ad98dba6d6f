// How a search from files is planned: whether it is made in memory, in pieces or in tiles, and that its tiles fit.
#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string>

#include "flow/file_plan.hpp"
#include "flow/ranks/threads.hpp"
#include "flow/tile_sizes.hpp"
#include "formats/write_support.hpp"
#include "refusal.hpp"

namespace kann::flow {
namespace {

using namespace test;

TEST(TilePlan, TheSmallestBudgetIsEnoughAndLessIsNot) {
  for (const double n : {1e3, 1e6, 1e9, 1e11})
    for (const std::int64_t k : {1, 8, 100})
      for (const bool is_self : {false, true}) {
        SearchShape shape{
            .data = static_cast<std::int64_t>(n), .queries = static_cast<std::int64_t>(n), .k = k, .is_self = is_self};
        const double least = smallest_budget(shape);
        EXPECT_TRUE(least >= bytes_in_memory(shape) || tile_sizes(shape, {least}) || piece_sizes(shape, {least})) << n;
        EXPECT_FALSE(tile_sizes(shape, {least * .99})) << n;
        EXPECT_LE(least, bytes_in_memory(shape));
        shape.ranks = 3;  // which are never in memory
        const double least_of_ranks = smallest_budget(shape);
        EXPECT_TRUE(tile_sizes(shape, {least_of_ranks})) << n;
        EXPECT_FALSE(tile_sizes(shape, {least_of_ranks * .99})) << n;
      }
}

TEST(TilePlan, TheSmallestBudgetMayBeThatOfPieces) {
  const SearchShape shape{.data = 1000, .queries = 10'000'000, .k = 8};
  const double least = smallest_budget(shape);
  EXPECT_LT(least, bytes_in_memory(shape) / 4);
  EXPECT_TRUE(piece_sizes(shape, {least}));
  EXPECT_FALSE(piece_sizes(shape, {least * .99}));
}

TEST(TilePlan, ThreadsHaveListsOfNeighbors) {
  for (const bool is_self : {false, true}) {
    SearchShape shape{.data = 100'000, .queries = 100'000, .k = 1000, .is_self = is_self};
    const double one = bytes_in_memory(shape), one_in_tiles = smallest_budget(shape);
    shape.threads = 9;
    constexpr double most = 8 * 1000 * 1000;
    for (const double more : {bytes_in_memory(shape) - one, smallest_budget(shape) - one_in_tiles}) {
      EXPECT_GT(more, .6 * most);
      EXPECT_LT(more, 1.3 * most);
    }
  }
}

TEST(TilePlan, GpusHoldTheOrderOfDataThatAreSearchedInThemselvesInPieces) {
  SearchShape shape{.data = 100'000'000, .queries = 100'000'000, .k = 8, .is_self = true};
  EXPECT_FALSE(piece_sizes(shape, {6e9}));
  shape.is_on_gpu = true;
  const auto sizes = piece_sizes(shape, {6e9, 80e9});
  ASSERT_TRUE(sizes);
  EXPECT_EQ(sizes->tile_points, 0);
  EXPECT_GT(sizes->piece_queries, 20'000'000);
  EXPECT_LE(bytes_from_files(shape, *sizes), 6e9);
  EXPECT_TRUE(piece_sizes(shape, {1.5e9, 80e9})) << "the data alone take 1.2 GB";
  EXPECT_FALSE(piece_sizes(shape, {1.1e9, 80e9}));
  EXPECT_FALSE(piece_sizes(shape, {6e9, 5e9})) << "their order does not fit";
  shape.data = shape.queries = 1'000'000'000;
  EXPECT_TRUE(piece_sizes(shape, {20e9, 80e9})) << "all rows at once would take 64 GB of the GPU";
  for (bool SearchShape::*no_pieces : {&SearchShape::is_periodic, &SearchShape::is_sky}) {
    SearchShape other = shape;
    other.*no_pieces = true;
    EXPECT_FALSE(piece_sizes(other, {20e9, 80e9}));
  }
}

TEST(TilePlan, AShiftedSortTakesItsOrdersInMemory) {
  SearchShape shape{.data = 1'000'000, .queries = 1'000'000, .k = 8, .is_self = true, .shifts = 3};
  const double three = bytes_in_memory(shape);
  shape.shifts = 5;
  EXPECT_GT(bytes_in_memory(shape), three + 2 * 4 * 1e6);  // at least a place and a rank for each point in each order
}

TEST(TilePlan, MoreMemoryGivesLargerTiles) {
  const SearchShape shape{.data = 1'000'000'000, .queries = 1'000'000'000, .k = 8, .is_self = true};
  std::int64_t before = 0;
  for (const double budget : {1e9, 2e9, 8e9, 64e9}) {
    const auto sizes = tile_sizes(shape, {budget});
    ASSERT_TRUE(sizes) << budget;
    EXPECT_GT(sizes->tile_points, before);
    before = sizes->tile_points;
  }
}

TEST(TilePlan, TilesFitTheDeviceToo) {
  const SearchShape shape{.data = 1'000'000'000, .queries = 1'000'000'000, .k = 8, .is_self = true};
  EXPECT_TRUE(fits_in_memory(shape, {1e12}));
  EXPECT_FALSE(fits_in_memory(shape, {1e12, 80e9})) << "62 bytes per point, the points and the rows";
  const auto sizes = tile_sizes(shape, {1e12, 80e9});
  ASSERT_TRUE(sizes);
  EXPECT_LT(sizes->tile_points, 600'000'000);
  EXPECT_GT(sizes->tile_points, 200'000'000);
}

TEST(TilePlan, ABoxTakesFloat64AndImages) {
  for (const bool is_self : {false, true}) {
    SearchShape plain{.data = 10'000'000, .queries = 10'000'000, .k = 8, .is_float64 = true, .is_self = is_self};
    SearchShape periodic = plain;
    periodic.is_periodic = true;
    SearchShape float32 = periodic;
    float32.is_float64 = false;
    EXPECT_GT(bytes_in_memory(float32), bytes_in_memory(plain));
    EXPECT_LT(bytes_in_memory(float32), bytes_in_memory(periodic)) << "with the cloud as given";
    EXPECT_GT(smallest_budget(float32), smallest_budget(plain));
    EXPECT_FALSE(piece_sizes(periodic, {1e12})) << "queries are brought to the data";
    const auto sizes = tile_sizes(float32, {1e9}), wider = tile_sizes(plain, {1e9});
    ASSERT_TRUE(sizes && wider);
    EXPECT_LE(sizes->tile_points, wider->tile_points);
  }
}

TEST(TilePlan, QueriesAreInPiecesWhereTheDataFit) {
  SearchShape shape{.data = 1'000'000, .queries = 1'000'000'000, .k = 8};
  EXPECT_FALSE(fits_in_memory(shape, {4e9}));
  const auto sizes = piece_sizes(shape, {4e9}), fewer = piece_sizes(shape, {3e8});
  ASSERT_TRUE(sizes && fewer);
  EXPECT_GT(sizes->piece_queries, fewer->piece_queries);
  EXPECT_GE(fewer->piece_queries, 100'000);
  EXPECT_LE(static_cast<double>(sizes->piece_queries), 1e8 / found_bytes(1, 8)) << "rows of 100 MB are enough";
  EXPECT_FALSE(piece_sizes(shape, {60e6})) << "not even the data fit";
  EXPECT_FALSE(piece_sizes(shape, {4e9, 10e6})) << "on the device";
  shape.is_self = true;
  shape.queries = shape.data;
  EXPECT_FALSE(piece_sizes(shape, {2e8}));
  shape.is_self = false;
  shape.ranks = 2;
  EXPECT_FALSE(piece_sizes(shape, {4e9}));
  shape.ranks = 1;
  shape.data = shape.queries = std::int64_t{1} << 31;
  EXPECT_FALSE(piece_sizes(shape, {1e15}));
}

TEST(TilePlan, MorePointsThanOneSearchCanHaveAreInTiles) {
  SearchShape shape{.data = 2'147'483'647, .queries = 10, .k = 1};
  EXPECT_TRUE(fits_in_memory(shape, {1e13}));
  ++shape.data;
  EXPECT_FALSE(fits_in_memory(shape, {1e13}));
  shape = {.data = 10, .queries = 2'147'483'648, .k = 1};
  EXPECT_FALSE(fits_in_memory(shape, {1e13}));
  shape.data = 100'000'000'000;
  const auto sizes = tile_sizes(shape, {1e15});
  ASSERT_TRUE(sizes);
  EXPECT_LE(sizes->tile_points, 1 << 30);
  EXPECT_LE(sizes->piece_queries, 1 << 30);
}

/// A search of a cloud in itself that only writes rows.
FileRequest request_of(Communicator& ranks, const std::string& file, Method method, DeviceKind device) {
  SearchOptions search;
  search.method = method;
  search.device.kind = device;
  return {.ranks = ranks,
          .data = file,
          .query = {},
          .grid_step = {},
          .grid = {},
          .of_data = {},
          .of_query = {},
          .search = search,
          .budget = {},
          .judged = {},
          .only_writes_rows = true,
          .only_in_memory = {},
          .products = {},
          .folder = {}};
}

/// A PLY file of 40,000 float32 points.
std::string put_points(const TemporaryFolder& folder) {
  const std::string file = folder.file("a.ply");
  put_contents(file,
               "ply\nformat binary_little_endian 1.0\nelement vertex 40000\nproperty float x\nproperty float y\n"
               "property float z\nend_header\n" +
                   std::string(480'000, '\0'));
  return file;
}

/// The pieces of a search; 0: it is made in memory.
std::int64_t pieces_of(const std::string& file, std::int64_t k, const std::string& only_in_memory = "",
                       DeviceKind device = DeviceKind::cuda, std::optional<std::string> query = {}) {
  Alone alone;
  FileRequest request = request_of(alone, file, Method::exact, device);
  request.search.k = k;
  request.query = std::move(query);
  request.only_in_memory = only_in_memory;
  return outline_search(request).pieces;
}

TEST(FilePlan, ManyRowsAreWrittenInPiecesUnlessOnlyMemoryServes) {
  const TemporaryFolder folder;
  const std::string file = put_points(folder);
  EXPECT_EQ(pieces_of(file, 780), 0);  // 249.6 MB of rows
  EXPECT_EQ(pieces_of(file, 782), 1);
  EXPECT_EQ(pieces_of(file, 782, "--group is"), 0);
  EXPECT_EQ(pieces_of(file, 780, "", DeviceKind::cpu, file), 0);
  EXPECT_EQ(pieces_of(file, 782, "", DeviceKind::cpu, file), 3);  // of 100 MB
  EXPECT_EQ(pieces_of(file, 782, "", DeviceKind::cpu), 0) << "the CPU makes no pieces of a self-query";
}

/// The message with which the plan of a search is refused; empty: there is none, since it is made in memory.
std::string refused(const FileRequest& request, ErrorKind kind) {
  const std::string message = refusal_of(kind, [&] { EXPECT_FALSE(plan_files(request)); });
  EXPECT_EQ(message.find('\n'), std::string::npos);
  return message;
}

TEST(FilePlan, ApproximateAnswersAreMadeInMemoryByOneProcess) {
  const TemporaryFolder folder;
  const std::string file = put_points(folder);
  for (const Method method : {Method::shifted_sort, Method::paper}) {
    const std::string name = method == Method::paper ? "--method paper" : "--method shifted-sort";
    const DeviceKind device = method == Method::paper ? DeviceKind::cuda : DeviceKind::cpu;
    Alone alone;
    FileRequest request = request_of(alone, file, method, device);
    EXPECT_EQ(refused(request, ErrorKind::usage), "");
    request.budget = 1e9;
    EXPECT_EQ(refused(request, ErrorKind::usage), "");
    request.budget = 5e6;
    const std::string message = refused(request, ErrorKind::resources);
    EXPECT_TRUE(message.starts_with("host memory: the search needs about ")) << message;
    EXPECT_TRUE(message.ends_with("; " + name + " searches in memory; leave it out for the exact answer")) << message;
    run_on_threads(2, [&](Communicator& own) {
      EXPECT_EQ(refused(request_of(own, file, method, device), ErrorKind::usage),
                "several ranks: " + name + " searches in one process; leave it out for the exact answer");
    });
  }
}

}  // namespace
}  // namespace kann::flow
