// Text is read part by part: no row is lost or torn where parts meet, and endless, NUL-filled or one-line input ends
// with an error before it fills the memory.
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

constexpr std::size_t k_part = std::size_t{4} << 20;  // as in text_reader.cpp
constexpr std::size_t k_line = std::size_t{1} << 20;

/// Rows "i i/4 -i", `count` of them.
std::string rows(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += std::to_string(i) + " " + std::to_string(i / 4) +
            (i % 4 == 0   ? ""
             : i % 4 == 1 ? ".25"
             : i % 4 == 2 ? ".5"
                          : ".75") +
            " -" + std::to_string(i) + "\n";
  return text;
}

TEST(ReadParts, NoRowIsLostOrTornWherePartsMeet) {
  const int count = 500'000;
  const std::string text = rows(count);
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
  const std::string text = "# c\nx y z\n" + rows(500'000);
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
  for (const char* device : {"/dev/zero", "/dev/full"}) {
    const auto error = error_of([&] { read_points(device, {PointFormat::text}); });
    ASSERT_TRUE(error) << device;
    EXPECT_EQ(error->kind(), ErrorKind::bad_input);
    EXPECT_EQ(std::string(error->what()), device + std::string(":1: NUL byte in the text"));
  }
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
  const auto error = error_of([&] { read_points(path); });
  writer.join();
  return {error && error->kind() == ErrorKind::bad_input ? error->what() : "no bad input", written};
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
    EXPECT_NE(message.find("/endless.xyz" + expected), std::string::npos) << message;
    EXPECT_LT(written, 3 * k_part) << message;
  }
}

}  // namespace
}  // namespace kann::formats
