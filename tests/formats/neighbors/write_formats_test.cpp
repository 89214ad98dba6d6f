// Every result format holds exactly the rows that were written, read back by the format's definition; the bytes are the
// same in whatever way they are written.
#include <algorithm>
#include <cerrno>
#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <span>
#include <sstream>

#include "formats/faults.hpp"
#include "formats/neighbors/placed_rows.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

constexpr const char* k_formats[] = {"npz", "npy", "csv", "tsv", "bin", "ivecs", "ibin", "fvecs", "fbin"};
constexpr const char* k_meta = "{\"k\": 1}";
const ResultExtras k_extras{.meta_json = k_meta};

struct Shape {
  std::int64_t queries, k;

  friend std::ostream& operator<<(std::ostream& out, const Shape& s) { return out << s.queries << "x" << s.k; }
};

class WriteFormats : public testing::TestWithParam<Shape> {
 protected:
  /// Writes the sample to a new file of that name and returns its bytes.
  std::string written(const std::string& name, NeighborFormat format) {
    write_file(folder_.file(name), format, neighbors_);
    return contents(folder_.file(name));
  }
  std::size_t values() const { return neighbors_.ids.size(); }

  TemporaryFolder folder_;
  Neighbors neighbors_ = sample_neighbors(GetParam().queries, GetParam().k);
};

TEST_P(WriteFormats, BinIsCountsThenIdsThenDistances) {
  const std::string bytes = written("a.bin", NeighborFormat::bin);
  ASSERT_EQ(bytes.size(), 8 + 8 * values());
  EXPECT_EQ(number_at<std::uint32_t>(bytes, 0), neighbors_.queries);
  EXPECT_EQ(number_at<std::uint32_t>(bytes, 4), neighbors_.k);
  EXPECT_EQ(numbers_at<std::int32_t>(bytes, 8, values()), neighbors_.ids);
  EXPECT_EQ(numbers_at<float>(bytes, 8 + 4 * values(), values()), neighbors_.distances);
}

TEST_P(WriteFormats, IbinAndFbinAreCountsThenValues) {
  const std::string ids = written("a.ibin", NeighborFormat::ibin);
  const std::string distances = written("a.fbin", NeighborFormat::fbin);
  ASSERT_EQ(ids.size(), 8 + 4 * values());
  ASSERT_EQ(distances.size(), ids.size());
  EXPECT_EQ(number_at<std::uint32_t>(ids, 0), neighbors_.queries);
  EXPECT_EQ(number_at<std::uint32_t>(ids, 4), neighbors_.k);
  EXPECT_EQ(distances.substr(0, 8), ids.substr(0, 8));
  EXPECT_EQ(numbers_at<std::int32_t>(ids, 8, values()), neighbors_.ids);
  EXPECT_EQ(numbers_at<float>(distances, 8, values()), neighbors_.distances);
}

TEST_P(WriteFormats, IvecsAndFvecsCountEveryRow) {
  const std::string ids = written("a.ivecs", NeighborFormat::ivecs);
  const std::string distances = written("a.fvecs", NeighborFormat::fvecs);
  const std::size_t row_size = 4 + 4 * neighbors_.k;
  ASSERT_EQ(ids.size(), row_size * neighbors_.queries);
  ASSERT_EQ(distances.size(), ids.size());
  Array<std::int32_t> read_ids;
  Array<float> read_distances;
  for (std::int64_t q = 0; q < neighbors_.queries; ++q) {
    ASSERT_EQ(number_at<std::int32_t>(ids, q * row_size), neighbors_.k);
    ASSERT_EQ(number_at<std::int32_t>(distances, q * row_size), neighbors_.k);
    for (std::int64_t r = 0; r < neighbors_.k; ++r) {
      read_ids.push_back(number_at<std::int32_t>(ids, q * row_size + 4 + 4 * r));
      read_distances.push_back(number_at<float>(distances, q * row_size + 4 + 4 * r));
    }
  }
  EXPECT_EQ(read_ids, neighbors_.ids);
  EXPECT_EQ(read_distances, neighbors_.distances);
}

TEST_P(WriteFormats, TextHasALineForEveryNeighbourAndReadsBackExactly) {
  std::string tsv = written("a.tsv", NeighborFormat::tsv);
  const std::string csv = written("a.csv", NeighborFormat::csv);
  std::replace(tsv.begin(), tsv.end(), '\t', ',');
  EXPECT_TRUE(tsv == csv);

  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "query,rank,id,distance");
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(values()); ++i) {
    std::getline(lines, line);
    const std::size_t last = line.rfind(',') + 1;
    ASSERT_EQ(line.substr(0, last), std::to_string(i / neighbors_.k) + "," + std::to_string(i % neighbors_.k) + "," +
                                        std::to_string(neighbors_.ids[i]) + ",");
    ASSERT_EQ(std::strtof(line.c_str() + last, nullptr), neighbors_.distances[i]) << line;
    if (neighbors_.ids[i] == k_missing_id) {
      ASSERT_EQ(line.substr(last), "inf");
    }
  }
  EXPECT_FALSE(std::getline(lines, line)) << line;
}

TEST_P(WriteFormats, NpyIsTwoFilesOfOneShape) {
  const std::string ids = written("a.npy", NeighborFormat::npy);
  const std::string distances = contents(folder_.file("a.distances.npy"));
  const std::string shape =
      "'shape': (" + std::to_string(neighbors_.queries) + ", " + std::to_string(neighbors_.k) + ")";
  for (const std::string& bytes : {ids, distances}) {
    ASSERT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    const std::size_t begin = 10 + number_at<std::uint16_t>(bytes, 8);
    EXPECT_EQ(begin % 64, 0);
    EXPECT_EQ(bytes.at(begin - 1), '\n');
    EXPECT_NE(bytes.substr(10, begin - 10).find(shape), std::string::npos) << bytes.substr(10, begin - 10);
    ASSERT_EQ(bytes.size(), begin + 4 * values());
  }
  EXPECT_NE(ids.find("'descr': '<i4', 'fortran_order': False"), std::string::npos);
  EXPECT_NE(distances.find("'descr': '<f4', 'fortran_order': False"), std::string::npos);
  EXPECT_EQ(numbers_at<std::int32_t>(ids, ids.size() - 4 * values(), values()), neighbors_.ids);
  EXPECT_EQ(numbers_at<float>(distances, distances.size() - 4 * values(), values()), neighbors_.distances);
}

/// How a result is written, by a name for messages; false: this format is not written so.
using Way = std::pair<std::string, std::function<bool(NeighborFile&, const Neighbors&)>>;

std::vector<Way> ways_of_writing(std::int64_t queries) {
  std::vector<Way> ways;
  const auto add_whole = [&](const std::string& name, const Faults& wanted, int threads) {
    ways.emplace_back(name, [wanted, threads](NeighborFile& file, const Neighbors& n) {
      faults = wanted;
      file.write(n, k_meta, threads);
      faults = {};
      return true;
    });
  };
  for (const int threads : {2, 5}) add_whole("on threads", {}, threads);
  add_whole("without hints", {.hint_errno = EOPNOTSUPP}, 1);
  add_whole("in parts", {.partial_writes = true}, 1);
  for (const std::int64_t block : {1, 64, 999, 1'000'000}) {
    if (queries > 1000 * block) continue;
    ways.emplace_back("in blocks of " + std::to_string(block), [block](NeighborFile& file, const Neighbors& n) {
      file.write(rows_of(n, 0, n.queries, block), 2, k_extras);
      return true;
    });
    ways.emplace_back("at places by " + std::to_string(block), [block](NeighborFile& file, const Neighbors& n) {
      std::optional<PlacedRows> place = PlacedRows::in(file, n.queries, n.k, block == 999 ? 1 : 2);
      if (!place) return false;
      place->write(rows_of(n, 0, n.queries, block));
      place->finish(k_extras);
      return true;
    });
  }
  return ways;
}

TEST_P(WriteFormats, TheSameRowsGiveTheSameBytesInEveryWay) {
  for (const std::string format : k_formats) {
    SCOPED_TRACE(format);
    const auto write = [&](const std::string& path) { write_file(path, *neighbor_format(format), neighbors_, k_meta); };
    write(folder_.file("whole." + format));
    const std::string whole = contents(folder_.file("whole." + format));
    for (const auto& [name, way] : ways_of_writing(neighbors_.queries)) {
      NeighborFile file(folder_.file("way." + format), *neighbor_format(format), true);
      if (!way(file, neighbors_)) continue;
      file.commit();
      EXPECT_TRUE(contents(folder_.file("way." + format)) == whole) << name;
      if (format == "npy") {
        EXPECT_TRUE(contents(folder_.file("way.distances.npy")) == contents(folder_.file("whole.distances.npy")))
            << name;
      }
    }
    {
      const Redirected output(STDOUT_FILENO, folder_.file("stdout"));
      write("-");
    }
    EXPECT_TRUE(contents(folder_.file("stdout")) == whole) << "on stdout";
    const std::string fifo = folder_.file("fifo." + format);
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    std::string got;
    std::jthread reader([&] { got = contents(fifo); });
    write(fifo);
    reader.join();
    EXPECT_TRUE(got == whole) << "to a pipe";
  }
}

// 70,000 × 3 exceeds the block sizes of the text and vector writers; 1 × 270,000 is a row longer than a block; the
// others are about the chunks of 2 MiB in atomic_file.cpp.
INSTANTIATE_TEST_SUITE_P(Shapes, WriteFormats,
                         testing::Values(Shape{0, 8}, Shape{5, 0}, Shape{1, 1}, Shape{257, 8}, Shape{70000, 3},
                                         Shape{1, 270000}, Shape{524'287, 1}, Shape{524'288, 1}, Shape{524'289, 1}),
                         testing::PrintToStringParamName());

TEST(NeighborFormats, AreKnownByNameInAnyCase) {
  EXPECT_EQ(neighbor_format("npz"), NeighborFormat::npz);
  EXPECT_EQ(neighbor_format("IVECS"), NeighborFormat::ivecs);
  EXPECT_EQ(neighbor_format("Csv"), NeighborFormat::csv);
  for (const char* name : {"", ".npz", "np", "npzz", "ply", "txt"}) EXPECT_FALSE(neighbor_format(name)) << name;
}

// 2³² rows of no neighbours exceed the 32-bit counts of a header and take no memory.
TEST(NeighborFormats, CountsPastTheHeaderAreRefusedBeforeAByteIsWritten) {
  const TemporaryFolder folder;
  const Neighbors many{std::int64_t{1} << 32, 0, {}, {}};
  const Neighbors wide{0, std::int64_t{1} << 32, {}, {}};
  for (const std::string name : {"bin", "ibin", "fbin", "ivecs", "fvecs"}) {
    const bool counts_rows = name != "ivecs" && name != "fvecs";
    for (const Neighbors* n : {&many, &wide}) {
      if (n == &many && !counts_rows) continue;
      const std::string path = folder.file("a." + name);
      EXPECT_EQ(failure_of([&] { write_file(path, *neighbor_format(name), *n); }),
                "4: " + path + ": too many " + (n == &many ? "queries" : "neighbours") +
                    " for the header of this format (got 4294967296, at most " +
                    (counts_rows ? "4294967295" : "2147483647") + "); use npz");
      {
        const Redirected output(STDOUT_FILENO, folder.file("stdout"));
        EXPECT_TRUE(error_of([&] { write_file("-", *neighbor_format(name), *n); }));
      }
      EXPECT_EQ(contents(folder.file("stdout")), "");
      EXPECT_EQ(folder.names(), std::vector<std::string>{"stdout"});
    }
  }
  write_file(folder.file("last.ibin"), NeighborFormat::ibin, {(std::int64_t{1} << 32) - 1, 0, {}, {}});
  EXPECT_EQ(contents(folder.file("last.ibin")), std::string("\xff\xff\xff\xff\0\0\0\0", 8));
}

TEST(NeighborFormats, ArraysThatDoNotMatchTheirShapeAreRefused) {
  const TemporaryFolder folder;
  Neighbors n = sample_neighbors(4, 2);
  n.distances.pop_back();
  const Neighbors wraps{std::int64_t{1} << 32, std::int64_t{1} << 32, {}, {}};  // 2⁶⁴ = 0 in 64 bits
  for (const Neighbors& bad : {n, wraps, Neighbors{-1, 0, {}, {}}}) {
    EXPECT_TRUE(failure_of([&] { write_file(folder.file("a.npz"), NeighborFormat::npz, bad); }).starts_with("2: "));
  }
  EXPECT_TRUE(folder.names().empty());
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
  EXPECT_EQ(numbers_at<std::int64_t>(npy, npy.size() - 16, 2), (Array<std::int64_t>{std::int64_t{1} << 40, -1}));
  for (const char* format : {"bin", "ibin", "ivecs"}) {
    const std::string message = failure_of([&] { written(format); });
    EXPECT_TRUE(message.ends_with(folder.file("w") +
                                  ": this format has ids of 32 bits, which do not hold those of so many "
                                  "points; write npz, npy, csv or tsv"))
        << message;
  }
}

/// Rows that are written to their places before what lies around them.
constexpr const char* k_placed[] = {"npz", "npy", "bin", "ivecs", "ibin", "fvecs", "fbin"};

class Placed : public testing::TestWithParam<const char*> {
 protected:
  NeighborFile open() const { return {folder_.file("got.npy"), *neighbor_format(GetParam()), true}; }

  TemporaryFolder folder_;
};

TEST_P(Placed, RowsThatAreNotFinishedLeaveNothing) {
  const Neighbors n = sample_neighbors(3000, 2);
  {
    NeighborFile file = open();
    PlacedRows::in(file, n.queries, n.k).value().write(rows_of(n, 0, n.queries, 100));
  }
  {
    NeighborFile file = open();
    PlacedRows place = PlacedRows::in(file, n.queries, n.k).value();
    place.write(rows_of(n, 0, n.queries, 100));
    place.finish(k_extras);
  }
  EXPECT_TRUE(folder_.names().empty());
}

TEST_P(Placed, RowsMustBeAll) {
  const Neighbors n = sample_neighbors(300, 2);
  for (const std::int64_t queries : {299, 301}) {
    NeighborFile file = open();
    PlacedRows place = PlacedRows::in(file, queries, n.k).value();
    EXPECT_TRUE(failure_of([&] { place.write(rows_of(n, 0, 300, 100)); }).starts_with("70: "));
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Placed, testing::ValuesIn(k_placed),
                         [](const auto& format) { return std::string(format.param); });

TEST(PlacedRows, AreReadAgain) {
  const TemporaryFolder folder;
  Neighbors n = sample_neighbors(5000, 3);
  n.ids.back() = k_missing_id;
  n.distances.back() = std::numeric_limits<float>::infinity();
  for (const NeighborFormat format : {NeighborFormat::npz, NeighborFormat::npy, NeighborFormat::bin}) {
    ASSERT_TRUE(keeps_rows(format));
    NeighborFile file(folder.file("a.npy"), format, true);
    PlacedRows place = PlacedRows::in(file, n.queries, n.k, 2).value();
    place.write(rows_of(n, 0, n.queries, 700));
    place.finish(k_extras);
    Array<float> distances;
    Array<std::int32_t> last_ids;  // of the block with an infinite distance: the others need none
    place.written_rows(10'000).for_each([&](const Rows& block) {
      distances.insert(distances.end(), block.distances.begin(), block.distances.end());
      const auto ids = std::get<std::span<const std::int32_t>>(block.ids);
      last_ids.assign(ids.begin(), ids.end());
    });
    EXPECT_EQ(distances, n.distances);
    ASSERT_FALSE(last_ids.empty());
    EXPECT_TRUE(std::equal(last_ids.rbegin(), last_ids.rend(), n.ids.rbegin()));
  }
}

TEST(PlacedRows, TextStreamsAndNothingHaveNoPlaces) {
  const TemporaryFolder folder;
  const auto has_places = [](const std::string& path, const char* format, std::int64_t queries) {
    NeighborFile file(path, *neighbor_format(format), false);
    return PlacedRows::in(file, queries, 2).has_value();
  };
  for (const char* format : {"csv", "tsv"}) EXPECT_FALSE(has_places(folder.file("a"), format, 10));
  for (const char* format : k_placed) {
    EXPECT_FALSE(has_places("/dev/null", format, 10));
    EXPECT_FALSE(has_places(folder.file("a"), format, 0));
  }
}

}  // namespace
}  // namespace kann::formats
