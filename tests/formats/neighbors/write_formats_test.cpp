// Every result format holds exactly the rows that were written, read back by the format's definition.
#include <gtest/gtest.h>
#include <ostream>
#include <sstream>
#include <unistd.h>

#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// Redirects standard output to `path` during its lifetime.
class StdoutTo {
 public:
  explicit StdoutTo(const std::string& path) : saved_(dup(1)) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    dup2(fileno(file), 1);
    std::fclose(file);
  }
  ~StdoutTo() {
    dup2(saved_, 1);
    close(saved_);
  }

 private:
  int saved_;
};

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

TEST_P(WriteFormats, TheSameRowsGiveTheSameBytesInAFileAndOnStdout) {
  for (const std::string name : {"npz", "npy", "csv", "tsv", "bin", "ivecs", "ibin", "fvecs", "fbin"}) {
    const std::string first = written("first." + name, *neighbor_format(name));
    const std::string second = written("second." + name, *neighbor_format(name));
    {
      const StdoutTo redirect(folder_.file("stdout"));
      write_file("-", *neighbor_format(name), neighbors_);
    }
    EXPECT_TRUE(first == second) << name;
    EXPECT_TRUE(first == contents(folder_.file("stdout"))) << name;
  }
}

// 70,000 × 3 exceeds the block sizes of the text and vector writers; 1 × 270,000 is a row longer than a block.
INSTANTIATE_TEST_SUITE_P(Shapes, WriteFormats,
                         testing::Values(Shape{0, 8}, Shape{5, 0}, Shape{1, 1}, Shape{257, 8}, Shape{70000, 3},
                                         Shape{1, 270000}),
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
      const auto error = error_of([&] { write_file(path, *neighbor_format(name), *n); });
      ASSERT_TRUE(error) << name;
      EXPECT_EQ(error->kind(), ErrorKind::resources);
      EXPECT_EQ(std::string(error->what()), path + ": too many " + (n == &many ? "queries" : "neighbours") +
                                                " for the header of this format (got 4294967296, at most " +
                                                (counts_rows ? "4294967295" : "2147483647") + "); use npz");
      {
        const StdoutTo redirect(folder.file("stdout"));
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
    const auto error = error_of([&] { write_file(folder.file("a.npz"), NeighborFormat::npz, bad); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::usage);
  }
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace kann::formats
