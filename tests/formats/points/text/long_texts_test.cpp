// Long texts are read part by part: no row is lost or torn where parts meet, ranges of rows are found by marks, and
// endless, NUL-filled or one-line input ends with an error before it fills the memory.
#include <random>
#include <utility>

#include "formats/points/every_way.hpp"

namespace kann::formats {

using namespace test;

namespace {

const std::string k_long_properties = k_xyz + "property uchar c\nproperty int i\nproperty double d\n";
const std::string k_long_fields = "FIELDS x y z c i rgb\nSIZE 4 4 4 1 4 4\nTYPE F F F U I U\nCOUNT 1 1 1 1 1 1\n";

/// Files of so many rows: several marks and parts, lines of all lengths, with comments and blank lines between. Only
/// the last rows say that some columns are no whole numbers.
std::vector<std::pair<std::string, std::string>> long_texts(int count) {
  std::mt19937 random(11);
  std::string rows, table = "z,name,x,i,late,word,y\n";
  for (int row = 0; row < count; ++row) {
    for (int a = 0; a < 3; ++a) rows += std::to_string(static_cast<double>(random()) / (a == 1 ? 1e5 : 3.0)) + " ";
    rows += std::to_string(random() % 256) + " " + std::to_string(static_cast<std::int32_t>(random())) + " " +
            std::to_string(random());
    rows += (random() % 3 == 0 ? "\r\n" : "\n") + std::string(random() % 50 == 0 ? " \n" : "");
    const bool is_last = row + 1 == count;
    table += std::to_string(random() % 1000) + ",\"" + std::string(random() % 300, 'n') + "\"," +
             std::to_string(row * .1) + "," + std::to_string(row - 5000) + "," + (is_last ? "2.5," : "7,") +
             (is_last ? "word," : "1,") + "NA\n" + (random() % 50 == 0 ? "# comment\n" : "");
  }
  const std::string n = std::to_string(count);
  return {{"a.xyz", "# x y z c i d\n" + rows},
          {"a.csv", table},
          {"a.ply", ascii_ply(n, rows, k_long_properties)},
          {"a.pcd", pcd("ascii", n, rows, k_long_fields)}};
}

TEST(TextRows, OfLongTexts) {
  const TemporaryFolder folder;
  for (const auto& [name, bytes] : long_texts(50'000)) {
    put_contents(folder.file(name), bytes);
    EXPECT_EQ(expect_every_way(folder.file(name), {{.all_attributes = true, .threads = 3}}).error, "");
    expect_the_same(folder.file(name), {{.attributes = {"I", "z"}, .threads = 1}});
    expect_the_same(folder.file(name), with_attributes({.threads = 3})[6]);
  }
}

TEST(TextRows, OfFewRowsBesideMarks) {
  const TemporaryFolder folder;
  for (const auto& [name, bytes] : long_texts(8200)) {
    put_contents(folder.file(name), bytes);
    const ReadOptions options{.attributes = {"i", "z"}};
    const Cloud all = read_points(folder.file(name), options);
    const RowCloud cloud = open_rows(folder.file(name), options);
    for (const std::int64_t first : {0, 1, 4090, 4094, 4095, 4096, 4097, 8190, 8191, 8192, 8193})
      for (const std::int64_t count : {1, 2, 7}) {
        const Cloud some = cloud.rows->read(first, count);
        ASSERT_EQ(some.points.size(), count);
        for (std::int64_t row = 0; row < count; ++row)
          for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(some.points.at(row, 2), all.points.at(first + row, 2)) << name << ' ' << first << ' ' << count;
            EXPECT_EQ(some.attributes[i].at(row), all.attributes[i].at(first + row)) << name << ' ' << first;
          }
      }
  }
}

/// 4,096 rows of this file are 10 MB.
TEST(TextRows, OfThousandsOfColumnsAreReadFewAtATime) {
  const TemporaryFolder folder;
  std::string row = "0.5,1,2", head = "x,y,z";
  for (int c = 0; c < 1000; ++c) {
    row += ",1" + std::to_string(c % 10);
    head += ",c" + std::to_string(c);
  }
  std::string text = head + "\n";
  for (int i = 0; i < 2000; ++i) text += row + "\n";
  put_contents(folder.file("a.csv"), text);
  const RowCloud cloud = open_rows(folder.file("a.csv"), {{.all_attributes = true, .threads = 1}});
  ASSERT_TRUE(cloud.rows);
  EXPECT_LT(cloud.rows->buffer_bytes(), 3e6);
  expect_the_same(folder.file("a.csv"), {{.all_attributes = true, .threads = 2}});
}

TEST(TextRows, HaveTheTypesThatTheWholeTextSays) {
  const TemporaryFolder folder;
  put_contents(folder.file("a.csv"), long_texts(5000)[1].second);
  const RowCloud cloud = open_rows(folder.file("a.csv"), {{.all_attributes = true}});
  const std::vector<Attribute>& attributes = cloud.rows->without_rows().attributes;
  ASSERT_EQ(attributes.size(), 2);  // neither names nor a word are numbers
  EXPECT_EQ(attributes[0].name, "i");
  EXPECT_TRUE(std::holds_alternative<Array<std::int32_t>>(attributes[0].values));
  EXPECT_EQ(attributes[1].name, "late");
  EXPECT_TRUE(std::holds_alternative<Array<double>>(attributes[1].values));
  EXPECT_EQ(cloud.warnings.size(), 1);
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
  EXPECT_EQ(failure_of([&] { cloud.rows->read_points(0, 2); }),
            "3: " + file + ":1: row has 6 columns (need 3, as in line 1)");
  put_contents(file, "1 2 3\n#4 5 6");
  EXPECT_EQ(failure_of([&] { cloud.rows->read_points(0, 2); }), "3: " + file + ": changed while it was read");
  put_contents(file, "1 2 3\n");
  EXPECT_EQ(failure_of([&] { cloud.rows->read_points(0, 2); }),
            "3: " + file + ": the file shrank while it was read (got 6 bytes, need 12)");
}

TEST(TextRows, OfAttributesThatChangeAreRefused) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.csv");
  put_contents(file, "x,y,c\n1,2,300\n4,5,600\n");
  const RowCloud cloud = open_rows(file, {{.all_attributes = true}});
  put_contents(file, "x,y,c\n1,2,300\n4,5,6.5\n");
  EXPECT_EQ(failure_of([&] { cloud.rows->read(0, 2); }), "3: " + file + ": changed while it was read");
  EXPECT_FALSE(error_of([&] { cloud.rows->read_points(0, 2); }));
  put_contents(file, "x,y,c\n1,2,300\n4,5,abc\n");
  EXPECT_EQ(failure_of([&] { cloud.rows->read(0, 2); }), "3: " + file + ":3: column 3 is not a number: 'abc'");
}

constexpr std::size_t k_part = std::size_t{4} << 20;  // as in text_reader.cpp
constexpr std::size_t k_line = std::size_t{1} << 20;

/// Rows "i i/4 -i", `count` of them.
std::string quarter_rows(int count) {
  const char* const quarters[] = {"", ".25", ".5", ".75"};
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += number + " " + std::to_string(i / 4) + quarters[i % 4] + " -" + number + "\n";
  }
  return text;
}

TEST(ReadParts, NoRowIsLostOrTornWherePartsMeet) {
  const int count = 500'000;
  const std::string text = quarter_rows(count);
  ASSERT_GT(text.size(), 2 * k_part);
  for (const std::size_t shift : {0, 1, 2, 3, 5, 8, 13, 21}) {
    const Cloud cloud = read_bytes("a.xyz", "#" + std::string(shift, 'c') + "\n" + text);
    ASSERT_EQ(cloud.points.size(), count) << shift;
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(cloud.points.at(i, 0) == i && cloud.points.at(i, 1) == 0.25 * i && cloud.points.at(i, 2) == -i) << i;
  }
}

TEST(ReadParts, AFileThatEndsWithAPart) {
  for (const std::size_t parts : {1, 2})
    for (const bool ends_with_newline : {false, true}) {
      const std::string last = ends_with_newline ? "4 5 6\n" : "4 5 6";
      std::string text;
      while (text.size() + 6 + last.size() <= parts * k_part) text += "1 2 3\n";
      text += std::string(parts * k_part - text.size() - last.size(), ' ') + last;
      ASSERT_EQ(text.size(), parts * k_part);
      const Cloud cloud = read_bytes("a.xyz", text);
      EXPECT_EQ(cloud.points.at(cloud.points.size() - 1, 2), 6);
      EXPECT_EQ(cloud.points.at(cloud.points.size() - 2, 2), 3);
    }
}

TEST(ReadParts, LinesAreCountedThroughAllParts) {
  const std::string text = "# c\nx y z\n" + quarter_rows(500'000);
  EXPECT_EQ(refusal("a.xyz", text + "1 2 w\n"), "a.xyz:500003: column 3 is not a number: 'w'");
  EXPECT_EQ(refusal("a.xyz", text + "1 2\n"), "a.xyz:500003: row has 2 columns (need 3, as in the header in line 2)");
  EXPECT_EQ(refusal("a.xyz", text + "1 2 3 #" + std::string(1, '\0')), "a.xyz:500003: NUL byte in the text");
  EXPECT_EQ(refusal("a.xyz", text + std::string(k_line + 1, '1') + "\n"),
            "a.xyz:500003: the line is longer than 1048576 bytes");
}

TEST(ReadParts, ALongLineIsReadUpToItsLimit) {
  const auto with_comment = [](std::size_t bytes) { return "1 2 3\n#" + std::string(bytes - 1, 'c') + "\n4 5 6\n"; };
  EXPECT_EQ(read_bytes("a.xyz", with_comment(100'000)).points.size(), 2);
  EXPECT_EQ(read_bytes("a.xyz", with_comment(k_line)).points.size(), 2);
  EXPECT_EQ(refusal("a.xyz", with_comment(k_line + 1)), "a.xyz:2: the line is longer than 1048576 bytes");
  EXPECT_EQ(refusal("a.xyz", with_comment(10'000'000)), "a.xyz:2: the line is longer than 1048576 bytes");
  EXPECT_EQ(refusal("a.xyz", std::string(10'000'000, '1')), "a.xyz:1: the line is longer than 1048576 bytes");
  EXPECT_EQ(refusal("a.xyz", "#" + std::string(k_line, 'c') + "\n1 2 3\n"),
            "a.xyz:1: the line is longer than 1048576 bytes");
  EXPECT_EQ(refusal("a.csv", "x,y,z," + std::string(2 * k_line, 'c') + "\n1,2,3,4\n"),
            "a.csv:1: the line is longer than 1048576 bytes");
}

TEST(ReadParts, TheFirstPointIsInTheFirstPart) {
  std::string comments;
  while (comments.size() < k_part - 200) comments += "# " + std::string(97, 'c') + "\n";
  EXPECT_EQ(read_bytes("a.xyz", comments + "1 2 3\n").points.size(), 1);
  for (const std::string start : {"", "x y z\n"}) {
    EXPECT_EQ(refusal("a.xyz", start + comments + comments + "1 2 3\n"), "a.xyz: no point in the first 4194304 bytes");
  }
}

TEST(ReadParts, DevicesOfZerosAreRefusedAtOnce) {
  for (const std::string device : {"/dev/zero", "/dev/full"})
    EXPECT_EQ(failure_of([&] { read_points(device, {PointFormat::text}); }),
              "3: " + device + ":1: NUL byte in the text");
}

/// The message of reading a FIFO into which `text` is written until it is closed, and the bytes that were written.
std::pair<std::string, std::size_t> endless(const std::string& text) {
  signal(SIGPIPE, SIG_IGN);
  const TemporaryFolder folder;
  const std::string path = folder.file("endless.xyz");
  mkfifo(path.c_str(), 0600);
  std::size_t written = 0;
  std::thread writer([&] {
    const int fd = open(path.c_str(), O_WRONLY);
    for (ssize_t n = 0; n >= 0; written += static_cast<std::size_t>(n > 0 ? n : 0))
      n = write(fd, text.data(), text.size());
    close(fd);
  });
  const std::string message = failure_of([&] { read_points(path); });
  writer.join();
  return {message, written};
}

TEST(ReadParts, EndlessInputWithoutPointsIsRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {std::string(4096, ' '), ":1: the line is longer than 1048576 bytes"},
      {std::string(4096, '1'), ":1: the line is longer than 1048576 bytes"},
      {std::string(4096, '\n'), ": no point in the first 4194304 bytes"},
      {"# a comment of 24 bytes\n", ": no point in the first 4194304 bytes"},
      {std::string(4096, '\0'), ":1: NUL byte in the text"},
      {std::string("x y\n") + std::string(4092, '\0'), ":2: NUL byte in the text"}};
  for (const auto& [text, expected] : cases) {
    const auto [message, written] = endless(text);
    EXPECT_TRUE(message.starts_with("3: ") && message.ends_with("/endless.xyz" + expected)) << message;
    EXPECT_LT(written, 3 * k_part) << message;
  }
}

}  // namespace
}  // namespace kann::formats
