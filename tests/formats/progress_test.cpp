// What reading and writing say of how far they are: bytes that never fall, up to the size of the file, on the thread
// that waits for them.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kann/io.hpp"

namespace kann {
namespace {

namespace fs = std::filesystem;

using Reports = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

class ReadAndWriteProgress : public testing::Test {
 protected:
  ReadAndWriteProgress() : folder_(fs::temp_directory_path() / ("kann_progress_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~ReadAndWriteProgress() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  /// What reading says, of a file of that name with these bytes; it is read on `threads` threads.
  Reports reports_of(const std::string& name, const std::string& bytes, int threads = 1) const {
    Reports reports;
    ReadOptions options{.threads = threads};
    options.on_progress = [&, caller = std::this_thread::get_id()](std::uint64_t done, std::uint64_t total) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      reports.emplace_back(done, total);
    };
    read_points(write(name, bytes), options);
    return reports;
  }

 private:
  fs::path folder_;
};

/// Whether bytes never fall and end at `size`, which every report names.
bool ascends_to(const Reports& reports, std::uint64_t size) {
  std::uint64_t before = 0;
  for (const auto& [done, total] : reports)
    if (done < std::exchange(before, done) || total != size) return false;
  return before == size;
}

std::string u32(std::uint32_t number) { return {reinterpret_cast<const char*>(&number), sizeof number}; }

std::string rows_of_text(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) text += "1.5 2.25 -" + std::to_string(i) + "\n";
  return text;
}

TEST_F(ReadAndWriteProgress, TextCountsWhatIsParsed) {
  const std::string text = rows_of_text(1'000'000);  // 17 MB, in parts of 4 MiB
  const Reports reports = reports_of("a.xyz", text);
  EXPECT_TRUE(ascends_to(reports, text.size()));
  EXPECT_GE(reports.size(), 4u);
  EXPECT_LT(reports.size(), 40u);
}

TEST_F(ReadAndWriteProgress, RowsOfAFixedSizeCountEveryBlock) {
  const int rows = 2'000'000;
  const std::string header = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(rows) +
                             "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  const std::string plain = header + std::string(std::size_t{12} * rows, '\0');
  EXPECT_TRUE(ascends_to(reports_of("a.ply", plain), plain.size()));
  const std::string fbin = u32(rows) + u32(3) + std::string(std::size_t{12} * rows, '\0');
  const Reports reports = reports_of("a.fbin", fbin);
  EXPECT_TRUE(ascends_to(reports, fbin.size()));
  EXPECT_GE(reports.size(), 4u);
  // On several threads, the caller tells of what the others have done, too
  for (const auto& [done, total] : reports_of("b.fbin", fbin, 4)) EXPECT_LE(done, total);
}

TEST_F(ReadAndWriteProgress, LinesAfterAHeaderCountAsTheyAreParsed) {
  const int rows = 300'000;
  const std::string ply = "ply\nformat ascii 1.0\nelement vertex " + std::to_string(rows) +
                          "\nproperty float x\nproperty float y\nproperty float z\nend_header\n" + rows_of_text(rows);
  const std::string pcd = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH " +
                          std::to_string(rows) + "\nHEIGHT 1\nPOINTS " + std::to_string(rows) + "\nDATA ascii\n" +
                          rows_of_text(rows);
  for (const auto& [name, bytes] : {std::pair("a.ply", ply), std::pair("a.pcd", pcd)}) {
    SCOPED_TRACE(name);
    const Reports reports = reports_of(name, bytes);
    EXPECT_TRUE(ascends_to(reports, bytes.size()));
    EXPECT_GE(reports.size(), 4u);
  }
}

TEST_F(ReadAndWriteProgress, WritingCountsTheBytesOfTheWhole) {
  const std::int64_t queries = 400'000, k = 8;
  Neighbors neighbors{queries, k, {}, {}};
  neighbors.ids.resize(static_cast<std::size_t>(queries * k));
  neighbors.distances.resize(neighbors.ids.size());
  std::iota(neighbors.ids.begin(), neighbors.ids.end(), 1);
  for (const char* const name : {"r.npz", "r.npy", "r.bin", "r.ibin", "r.ivecs", "r.csv"}) {
    SCOPED_TRACE(name);
    Reports reports;
    NeighborFile file(path(name), *neighbor_format(std::string(name).substr(2)), true);
    file.report_progress([&, caller = std::this_thread::get_id()](std::uint64_t done, std::uint64_t total) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      reports.emplace_back(done, total);
    });
    file.write(neighbors, "{}", 1);
    file.commit();
    std::uint64_t size = fs::file_size(path(name));
    if (name == std::string("r.npy")) size += fs::file_size(path("r.distances.npy"));
    ASSERT_GE(reports.size(), 3u);
    for (std::size_t i = 1; i < reports.size(); ++i) EXPECT_GE(reports[i].first, reports[i - 1].first);
    EXPECT_EQ(reports.back().first, size);
    const auto total = static_cast<double>(reports[reports.size() / 2].second);
    EXPECT_NEAR(total / static_cast<double>(size), 1, 0.3);
  }
}

}  // namespace
}  // namespace kann
