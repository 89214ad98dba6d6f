// Ranges of long texts, which are found by marks.
#include <random>
#include <utility>

#include "cloud_rows_support.hpp"
#include "io/points/pcd/pcd_support.hpp"

namespace kann::io {

using namespace test;

namespace {

/// Several marks, parts and threads; lines of all lengths, with comments and blank lines between.
TEST(TextRows, OfLongTexts) {
  const TemporaryFolder folder;
  std::mt19937 random(11);
  std::string rows, table = "z,name,x,y\n";
  int count = 0;
  for (; count < 50'000; ++count) {
    std::string row;
    for (int a = 0; a < 3; ++a)
      row += std::to_string(static_cast<double>(random()) / (a == 1 ? 1e5 : 3.0)) + (a < 2 ? " " : "");
    rows += row + (random() % 3 == 0 ? "\r\n" : "\n") + (random() % 50 == 0 ? " \n" : "");
    table += std::to_string(random() % 1000) + ",\"" + std::string(random() % 300, 'n') + "\"," +
             std::to_string(count * .1) + ",NA\n" + (random() % 50 == 0 ? "# comment\n" : "");
  }
  for (const int threads : {1, 3}) {
    put_contents(folder.file("a.xyz"), rows);
    expect_the_same(folder.file("a.xyz"), {.threads = threads});
    put_contents(folder.file("a.csv"), table);
    expect_the_same(folder.file("a.csv"), {.threads = threads});
    put_contents(folder.file("a.ply"), ascii_ply(std::to_string(count), rows));
    expect_the_same(folder.file("a.ply"), {.threads = threads});
    put_contents(folder.file("a.pcd"), pcd("ascii", std::to_string(count), rows));
    expect_the_same(folder.file("a.pcd"), {.threads = threads});
  }
}

TEST(TextRows, OfLongTextsSayTheLineThatIsWrong) {
  const TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 300'000; ++i) rows += i == 290'000 ? "1 2 x\n" : "1 2 3.25 \n\n";
  for (const auto& [name, bytes] : std::vector<std::pair<std::string, std::string>>{
           {"a.xyz", rows},
           {"a.ply", ascii_ply("300000", rows)},
           {"a.pcd", pcd("ascii", "300000", rows)},
           {"b.xyz", rows.substr(0, 2'800'000) + std::string(1, '\0') + rows.substr(2'800'000)}}) {
    put_contents(folder.file(name), bytes);
    const auto got = in_parts(folder.file(name), {}, k_all);
    ASSERT_TRUE(got);
    EXPECT_EQ(*got, whole(folder.file(name), {}));
    EXPECT_NE(got->error, "");
  }
}

TEST(TextRows, OfTextThatChangesAreRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.xyz");
  put_contents(file, "1 2 3\n4 5 6\n");
  const RowCloud cloud = open_rows(file, {});
  put_contents(file, "1 2 3 4 5 6\n");
  EXPECT_EQ(std::string(error_of([&] { cloud.rows->read(0, 2); })->what()),
            file + ":1: row has 6 columns (need 3, as in line 1)");
  put_contents(file, "1 2 3\n#4 5 6");
  EXPECT_EQ(std::string(error_of([&] { cloud.rows->read(0, 2); })->what()), file + ": changed while it was read");
  put_contents(file, "1 2 3\n");
  EXPECT_EQ(std::string(error_of([&] { cloud.rows->read(0, 2); })->what()),
            file + ": the file shrank while it was read (got 6 bytes, need 12)");
}

}  // namespace
}  // namespace kann::io
