// Files that cannot be opened, inputs that are not files, and files that change while they are read.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "formats/files/input.hpp"
#include "read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// Redirects standard input from `path` during its lifetime.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : old_(dup(STDIN_FILENO)) {
    const int file = open(path.c_str(), O_RDONLY);
    dup2(file, STDIN_FILENO);
    close(file);
  }
  ~StandardInput() {
    dup2(old_, STDIN_FILENO);
    close(old_);
  }

 private:
  int old_;
};

/// The message of reading `path`, which must be a bad_input error.
std::string message_of(const std::string& path) {
  const auto error = error_of([&] { read_points(path); });
  return error && error->kind() == ErrorKind::bad_input ? error->what() : "no bad input";
}

/// Text larger than the capacity of a pipe and than the head of an input.
std::string large_text() {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + " 0.5 -1\n";
  return text;
}

TEST(ReadInput, MissingFile) {
  EXPECT_EQ(message_of("nope.ply"), "nope.ply: No such file or directory");
  EXPECT_EQ(message_of("no/such/folder.ply"), "no/such/folder.ply: No such file or directory");
  EXPECT_EQ(message_of(""), ": No such file or directory");
}

TEST(ReadInput, Folder) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of(folder.path().string()), folder.path().string() + ": Is a directory");
}

TEST(ReadInput, NoPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  const std::string path = folder.file("a.ply");
  put_contents(path, "ply\n");
  chmod(path.c_str(), 0);
  EXPECT_EQ(message_of(path), path + ": Permission denied");
}

TEST(ReadInput, StandardInputNeedsAFormat) {
  const auto error = error_of([] { read_points("-"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_EQ(std::string(error->what()),
            "standard input needs its format; name it with --data-format or --query-format");
}

TEST(ReadInput, StandardInput) {
  const TemporaryFolder folder;
  put_contents(folder.file("a"), "1 2 3\n4 5 x\n");
  put_contents(folder.file("b"), large_text());
  {
    const StandardInput from(folder.file("a"));
    const auto error = error_of([] { read_points("-", {PointFormat::text}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(std::string(error->what()), "standard input:2: column 3 is not a number: 'x'");
  }
  const StandardInput from(folder.file("b"));
  EXPECT_EQ(read_points("-", {PointFormat::text}).points.size(), 50'000);
}

TEST(ReadInput, StandardInputThatIsPartlyRead) {
  const TemporaryFolder folder;
  put_contents(folder.file("a"), "not points\n1 2 3\n");
  const StandardInput from(folder.file("a"));
  ASSERT_EQ(lseek(STDIN_FILENO, 11, SEEK_SET), 11);
  EXPECT_EQ(read_points("-", {PointFormat::text}).points.size(), 1);
}

TEST(ReadInput, Fifo) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { put_contents(path, large_text()); });
  const Cloud cloud = read_points(path);
  writer.join();
  EXPECT_EQ(cloud.points.size(), 50'000);
  EXPECT_EQ(cloud.points.at(49'999, 0), 49'999);
}

TEST(ReadInput, FileThatShrinks) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.xyz");
  put_contents(path, large_text());
  const auto size = std::filesystem::file_size(path);
  Input input(path);
  std::filesystem::resize_file(path, 100'000);
  const auto error = error_of([&] { input.read_all(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::bad_input);
  EXPECT_EQ(std::string(error->what()),
            path + ": the file shrank while it was read (got 100000 bytes, need " + std::to_string(size) + ")");
}

TEST(ReadInput, FileThatGrowsIsReadToItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.xyz");
  put_contents(path, large_text());
  Input input(path);
  std::ofstream(path, std::ios::app) << large_text();
  EXPECT_EQ(input.read_all(), large_text() + large_text());
}

TEST(ReadInput, SlidingGivesEveryByteOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.xyz"), text = large_text();
  put_contents(path, text);
  for (const std::size_t capacity : {std::size_t{70'000}, std::size_t{1} << 17, std::size_t{1} << 22}) {
    Input input(path);
    std::string seen;
    std::size_t used = 0;
    do {
      const std::string_view held = input.slide(used, capacity);
      EXPECT_LE(held.size(), capacity);
      used = input.is_at_end() ? held.size() : held.size() / 3;  // what is not used stays
      seen += held.substr(0, used);
    } while (!input.is_at_end());
    EXPECT_TRUE(seen == text) << capacity;
  }
}

TEST(ReadInput, SlidingSeesAFileThatShrinks) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.xyz");
  put_contents(path, large_text());
  const auto size = std::filesystem::file_size(path);
  Input input(path);
  std::filesystem::resize_file(path, 100'000);
  const auto error = error_of([&] {
    for (std::size_t used = 0; !input.is_at_end();) used = input.slide(used, 70'000).size();
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(std::string(error->what()),
            path + ": the file shrank while it was read (got 100000 bytes, need " + std::to_string(size) + ")");
}

/// No file can be opened while one exists.
class NoDescriptors {
 public:
  NoDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{1, before_.rlim_max};  // standard input is open
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(ReadInput, TooManyOpenFilesAreAShortageAndNotABadFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.xyz");
  put_contents(path, "1 2 3\n");
  for (const std::string& name : {path, std::string("-")}) {
    const NoDescriptors none;
    const auto error = error_of([&] { read_points(name, {PointFormat::text}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::resources);
    EXPECT_EQ(std::string(error->what()), (name == "-" ? "standard input" : name) + ": Too many open files");
  }
  EXPECT_EQ(read_points(path).points.size(), 1);
}

TEST(ReadInput, ASocketIsNoFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.xyz");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(message_of(path), path + ": No such device or address");
  close(listener);
}

TEST(ReadInput, FileLargerThanTheMemoryIsRefusedBeforeItIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.ply");
  put_contents(path, binary_ply(std::to_string(std::uint64_t{1} << 39), ""));
  std::error_code error_code;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 43, error_code);  // 8 TiB, sparse
  if (error_code) GTEST_SKIP() << "the file system has no files of 8 TiB";
  const auto error = error_of([&] { read_points(path); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::resources) << error->what();
}

TEST(ReadInput, EndlessInputIsRefusedAtTheLimitOfMemory) {
  static constexpr double k_available = 1 << 27;
  const auto check = [](double bytes, const char* what) {
    EXPECT_STREQ(what, "/dev/zero");
    if (bytes >= k_available) throw Error(ErrorKind::resources, "enough");
  };
  Input input("/dev/zero");
  const auto error = error_of([&] { input.read_all(check); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::resources);
}

TEST(ReadInput, WhatIsNoPlyOrNpyIsRefusedFromItsHead) {
  const TemporaryFolder folder;
  for (const auto& [name, message] :
       {std::pair{"zero.ply", ":1: NUL byte in the header"}, {"zero.npy", "@byte 0: not an NPY file"}}) {
    std::filesystem::create_symlink("/dev/zero", folder.file(name));
    EXPECT_TRUE(message_of(folder.file(name)).starts_with(folder.file(name) + message)) << name;
  }
}

}  // namespace
}  // namespace kann::formats
