// What reading and writing say of how far they are: bytes that never fall, up to the size of the file, on the thread
// that waits for them.
#include <thread>
#include <utility>
#include <vector>

#include "formats/clouds/clouds_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

using Reports = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

class ReadAndWriteProgress : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }

  /// What reading says, of a file of that name with these bytes; it is read on `threads` threads.
  Reports reports_of(const std::string& name, const std::string& bytes, int threads = 1) const {
    Reports reports;
    ReadOptions options{.threads = threads};
    options.on_progress = [&, caller = std::this_thread::get_id()](std::uint64_t done, std::uint64_t total) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      reports.emplace_back(done, total);
    };
    put_contents(path(name), bytes);
    read_points(path(name), options);
    return reports;
  }

  const TemporaryFolder folder_;
};

/// Whether bytes never fall and end at `size`, which every report names.
bool ascends_to(const Reports& reports, std::uint64_t size) {
  std::uint64_t before = 0;
  for (const auto& [done, total] : reports)
    if (done < std::exchange(before, done) || total != size) return false;
  return before == size;
}

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
  const std::string plain = binary_ply(std::to_string(rows), std::string(std::size_t{12} * rows, '\0'));
  EXPECT_TRUE(ascends_to(reports_of("a.ply", plain), plain.size()));
  const std::string fbin = bytes_of(rows) + bytes_of(3) + std::string(std::size_t{12} * rows, '\0');
  const Reports reports = reports_of("a.fbin", fbin);
  EXPECT_TRUE(ascends_to(reports, fbin.size()));
  EXPECT_GE(reports.size(), 4u);
  // On several threads, the caller tells of what the others have done, too
  for (const auto& [done, total] : reports_of("b.fbin", fbin, 4)) EXPECT_LE(done, total);
}

TEST_F(ReadAndWriteProgress, LinesAfterAHeaderCountAsTheyAreParsed) {
  const std::string count = "300000", rows = rows_of_text(300'000);
  for (const auto& [name, bytes] :
       {std::pair("a.ply", ascii_ply(count, rows)), std::pair("a.pcd", pcd("ascii", count, rows))}) {
    SCOPED_TRACE(name);
    const Reports reports = reports_of(name, bytes);
    EXPECT_TRUE(ascends_to(reports, bytes.size()));
    EXPECT_GE(reports.size(), 4u);
  }
}

TEST_F(ReadAndWriteProgress, WritingCountsTheBytesOfTheWhole) {
  const Neighbors neighbors = sample_neighbors(400'000, 8);
  for (const std::string name : {"r.npz", "r.npy", "r.bin", "r.ibin", "r.ivecs", "r.csv"}) {
    SCOPED_TRACE(name);
    Reports reports;
    NeighborFile file(path(name), *neighbor_format(name.substr(2)), true);
    file.report_progress([&, caller = std::this_thread::get_id()](std::uint64_t done, std::uint64_t total) {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      reports.emplace_back(done, total);
    });
    file.write(neighbors, "{}", 1);
    file.commit();
    std::uint64_t size = std::filesystem::file_size(path(name));
    if (name == "r.npy") size += std::filesystem::file_size(path("r.distances.npy"));
    ASSERT_GE(reports.size(), 3u);
    for (std::size_t i = 1; i < reports.size(); ++i) EXPECT_GE(reports[i].first, reports[i - 1].first);
    EXPECT_EQ(reports.back().first, size);
    const auto total = static_cast<double>(reports[reports.size() / 2].second);
    EXPECT_NEAR(total / static_cast<double>(size), 1, 0.3);
  }
}

TEST_F(ReadAndWriteProgress, WritingCloudsInBlocksCountsTheBytesOfTheWhole) {
  const TestCloud cloud{"progress", map_points(200'000), {hard_attribute<float>("a", 200'000)}};
  for (const CloudFormat format : {CloudFormat::ply, CloudFormat::las, CloudFormat::csv}) {
    BlockPasses blocks = in_blocks(cloud, 60'000);
    CloudFile file(path("a"), format, true);
    Reports reports;
    file.report_progress([&](std::uint64_t done, std::uint64_t all) { reports.emplace_back(done, all); });
    file.write(blocks.cloud(), 1);
    file.commit();
    const auto size = static_cast<double>(contents(path("a")).size());
    ASSERT_GT(reports.size(), 3u);
    EXPECT_TRUE(std::ranges::is_sorted(reports, {}, [](const auto& report) { return report.first; }));
    EXPECT_EQ(static_cast<double>(reports.back().first), size);
    for (std::size_t i = 1; i < reports.size(); ++i)  // the first follows the head
      EXPECT_NEAR(static_cast<double>(reports[i].second), size, 0.01 * size) << static_cast<int>(format);
  }
}

}  // namespace
}  // namespace kann::formats
