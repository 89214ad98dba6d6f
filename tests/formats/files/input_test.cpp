// Files that cannot be opened, inputs that are not files, and files that change while they are read; every byte comes
// once, in whatever way they are read. What is suggested instead of a file that is not there.
#include "formats/files/input.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "formats/files/near_file.hpp"
#include "formats/points/read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

/// What comes of reading `path`.
std::string message_of(const std::string& path, const ReadOptions& options = {}) {
  return failure_of([&] { read_points(path, options); });
}

/// Text larger than the capacity of a pipe and than the head of an input.
std::string large_text() {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + " 0.5 -1\n";
  return text;
}

TEST(ReadInput, MissingFile) {
  EXPECT_EQ(message_of("nope.ply"), "3: nope.ply: No such file or directory");
  EXPECT_EQ(message_of("no/such/folder.ply"), "3: no/such/folder.ply: No such file or directory");
  EXPECT_EQ(message_of(""), "3: : No such file or directory");
}

TEST(ReadInput, Folder) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of(folder.path().string()), "3: " + folder.path().string() + ": Is a directory");
}

TEST(ReadInput, NoPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFolder folder;
  const std::string path = folder.file("a.ply");
  put_contents(path, "ply\n");
  chmod(path.c_str(), 0);
  EXPECT_EQ(message_of(path), "3: " + path + ": Permission denied");
}

TEST(ReadInput, StandardInputNeedsAFormat) {
  EXPECT_EQ(message_of("-"), "2: standard input needs its format; name it with --data-format or --query-format");
}

TEST(ReadInput, StandardInput) {
  const TemporaryFolder folder;
  put_contents(folder.file("a"), "1 2 3\n4 5 x\n");
  const Redirected input(STDIN_FILENO, folder.file("a"));
  EXPECT_EQ(message_of("-", {PointFormat::text}), "3: standard input:2: column 3 is not a number: 'x'");
}

/// Larger than the head of an input, and than the chunks in which plain rows are read.
TEST(ReadInput, StandardInputThatIsPartlyRead) {
  const TemporaryFolder folder;
  const std::string before = "not points\n", rows = times(k_floats, 200'000);
  for (const auto& [format, bytes] :
       {std::pair{PointFormat::text, large_text()}, {PointFormat::ply, binary_ply("400000", rows)}})
    for (const std::string& start : {std::string(), before}) {
      put_contents(folder.file("a"), start + bytes);
      put_contents(folder.file("b"), bytes);
      const Redirected input(STDIN_FILENO, folder.file("a"));
      lseek(STDIN_FILENO, static_cast<off_t>(start.size()), SEEK_SET);
      const ReadOptions options{format};
      EXPECT_TRUE(read_points("-", options).points.coordinates ==
                  read_points(folder.file("b"), options).points.coordinates);
    }
}

TEST(ReadInput, FileThatGrowsIsReadToItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.xyz");
  put_contents(path, large_text());
  Input input(path);
  std::ofstream(path, std::ios::app) << large_text();
  EXPECT_EQ(input.read_all(), large_text() + large_text());
}

TEST(ReadInput, PlainRowsThatGrowAreReadAsTheyWere) {
  const TemporaryFolder folder;
  put_contents(folder.file("a.ply"), binary_ply("700000", std::string(8'400'000, 'r')));
  auto input = std::make_shared<Input>(folder.file("a.ply"));
  std::ofstream(folder.file("a.ply"), std::ios::app) << "more";
  EXPECT_EQ(open_table(std::move(input), PointFormat::ply, {})->read().points.size(), 700'000);
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
    EXPECT_EQ(message_of(name, {PointFormat::text}),
              "4: " + (name == "-" ? "standard input" : name) + ": Too many open files");
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
  EXPECT_EQ(message_of(path), "3: " + path + ": No such device or address");
  close(listener);
}

TEST(ReadInput, FileLargerThanTheMemoryIsRefusedBeforeItIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.ply");
  put_contents(path, binary_ply(std::to_string(std::uint64_t{1} << 39), ""));
  std::error_code error_code;
  std::filesystem::resize_file(path, std::uintmax_t{1} << 43, error_code);  // 8 TiB, sparse
  if (error_code) GTEST_SKIP() << "the file system has no files of 8 TiB";
  EXPECT_TRUE(message_of(path).starts_with("4: ")) << message_of(path);
}

TEST(ReadInput, EndlessInputIsRefusedAtTheLimitOfMemory) {
  static constexpr double k_available = 1 << 27;
  const auto check = [](double bytes, const char* what) {
    EXPECT_STREQ(what, "/dev/zero");
    if (bytes >= k_available) throw Error(ErrorKind::resources, "enough");
  };
  Input input("/dev/zero");
  EXPECT_EQ(failure_of([&] { input.read_all(check); }), "4: enough");
}

TEST(ReadInput, WhatIsNoPlyOrNpyIsRefusedFromItsHead) {
  const TemporaryFolder folder;
  for (const auto& [name, message] :
       {std::pair{"zero.ply", ":1: NUL byte in the header"}, {"zero.npy", "@byte 0: not an NPY file"}}) {
    std::filesystem::create_symlink("/dev/zero", folder.file(name));
    EXPECT_TRUE(message_of(folder.file(name)).starts_with("3: " + folder.file(name) + message)) << name;
  }
}

std::string random_bytes(std::size_t size) {
  Random random(9);
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(random.below(256));
  return bytes;
}

/// What the blocks hold, put together at their offsets.
std::string blocks_of(Input& input, std::size_t begin, std::size_t size, std::size_t block, int threads) {
  std::string seen(size, '?');
  std::mutex mutex;
  std::size_t bytes_seen = 0;
  input.for_each_block(begin, size, block, threads, [&](std::size_t offset, std::string_view bytes) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(offset % block, 0u);
    EXPECT_EQ(bytes.size(), std::min(block, size - offset));
    seen.replace(offset, bytes.size(), bytes);
    bytes_seen += bytes.size();
  });
  EXPECT_EQ(bytes_seen, size);
  return seen;
}

constexpr std::size_t k_head = std::size_t{1} << 16;  // as in input.cpp

TEST(InputBlocks, GiveEveryByteOfAFileOnce) {
  const TemporaryFolder folder;
  const std::string bytes = random_bytes(3 * k_head + 5);
  put_contents(folder.file("a"), bytes);
  for (const std::size_t begin : {std::size_t{0}, std::size_t{7}, k_head - 1, k_head, bytes.size()})
    for (const std::size_t block : {std::size_t{1000}, k_head - 1, k_head, k_head + 1, bytes.size()})
      for (const int threads : {1, 2, 5}) {
        Input input(folder.file("a"));
        EXPECT_EQ(input.total_size(), bytes.size());
        const std::size_t size = bytes.size() - begin;
        EXPECT_TRUE(blocks_of(input, begin, size, block, threads) == bytes.substr(begin)) << begin << " " << block;
        EXPECT_TRUE(blocks_of(input, begin, size / 2, block, threads) == bytes.substr(begin, size / 2));
      }
}

TEST(InputBlocks, GiveEveryByteOfAPipeOnce) {
  const std::string bytes = random_bytes(3 * k_head + 5);
  const Pipe pipe("pipe", bytes);
  Input input(pipe.path());
  EXPECT_EQ(input.total_size(), bytes.size());
  for (const int threads : {1, 3}) EXPECT_TRUE(blocks_of(input, 9, bytes.size() - 9, 1000, threads) == bytes.substr(9));
}

/// All of it, a part at a time, in blocks and, of plain rows, directly into their array.
TEST(ReadInput, AFileThatShrinksIsRefusedHoweverItIsRead) {
  using Input = std::shared_ptr<formats::Input>;
  const std::function<void(Input)> ways[] = {
      [](const Input& input) { input->read_all(); },
      [](const Input& input) {
        for (std::size_t used = 0; !input->is_at_end();) used = input->slide(used, 70'000).size();
      },
      [](const Input& input) { input->for_each_block(0, input->total_size(), 1000, 1, [](auto, auto) {}); },
      [](const Input& input) { input->for_each_block(0, input->total_size(), 1000, 4, [](auto, auto) {}); },
      [](Input input) { open_table(std::move(input), PointFormat::ply, {})->read(); }};
  const TemporaryFolder folder;
  const std::string path = folder.file("a.ply"), bytes = binary_ply("100000", std::string(1'200'000, 'r'));
  for (const auto& way : ways)
    for (const std::size_t left :
         {bytes.size() - 1, bytes.size() / 2, k_head + 3, k_head, k_head - 1, std::size_t{1}}) {
      put_contents(path, bytes);
      auto input = std::make_shared<formats::Input>(path);
      std::filesystem::resize_file(path, left);
      EXPECT_EQ(failure_of([&] { way(std::move(input)); }), "3: " + path + ": the file shrank while it was read (got " +
                                                                std::to_string(std::max(left, k_head)) +
                                                                " bytes, need " + std::to_string(bytes.size()) + ")")
          << &way - ways;
    }
}

TEST(InputBlocks, WhatIsThrownEndsTheReading) {
  const TemporaryFolder folder;
  put_contents(folder.file("a"), random_bytes(4 * k_head));
  Input input(folder.file("a"));
  std::atomic<int> calls{0};
  EXPECT_THROW(input.for_each_block(0, 4 * k_head, 1000, 1,
                                    [&](std::size_t, std::string_view) {
                                      ++calls;
                                      throw std::runtime_error("enough");
                                    }),
               std::runtime_error);
  EXPECT_EQ(calls, 1);
}

/// The file that a message suggests instead of one that is not there.
class NearFile : public testing::Test {
 protected:
  void create(const std::string& name) const { std::ofstream(folder_.file(name)) << "x"; }

  /// The name of the suggested file, which is in the same folder.
  std::string near(const std::string& name) const {
    const std::string path = near_file(folder_.file(name));
    const std::string folder = folder_.file("");
    if (path.empty()) return {};
    EXPECT_EQ(path.find(folder), 0u) << path;
    return path.substr(folder.size());
  }

  std::string message(const std::string& path) const {
    return failure_of([&] { const Input input(path); });
  }

  TemporaryFolder folder_;
};

TEST_F(NearFile, IsThatOfTheMinimumEditDistance) {
  for (const char* name : {"points.ply", "pints_of_beer.ply", "query.ply"}) create(name);
  EXPECT_EQ(near("pionts.ply"), "points.ply");
  EXPECT_EQ(near("point.ply"), "points.ply");
  EXPECT_EQ(near("POINTS.PLY"), "points.ply");
  EXPECT_EQ(near("points.pyl"), "points.ply");
  EXPECT_EQ(near("qery.ply"), "query.ply");
  EXPECT_EQ(near("nope.ply"), "");
  EXPECT_EQ(near("pt.ply"), "");
  EXPECT_EQ(near("po.ply"), "");
}

TEST_F(NearFile, IsTheSameStemWithAnotherExtensionBeforeAll) {
  for (const char* name : {"pts.npy", "ptz.ply", "a.csv"}) create(name);
  EXPECT_EQ(near("pts.ply"), "pts.npy");
  EXPECT_EQ(near("pts"), "pts.npy");
  EXPECT_EQ(near("a.ply"), "a.csv");
  EXPECT_EQ(near("b.csv"), "");  // a name of one letter is not near another
}

TEST_F(NearFile, IsTheFirstByNameOfEquals) {
  for (const char* name : {"scan_3.ply", "scan_2.ply", "scan_4.ply"}) create(name);
  EXPECT_EQ(near("scan_1.ply"), "scan_2.ply");
}

TEST_F(NearFile, IsNoFolderNoLinkToNothingAndNotHidden) {
  std::filesystem::create_directory(folder_.file("points"));
  std::filesystem::create_symlink("nothing.ply", folder_.file("points.pcd"));
  create(".points.ply");
  EXPECT_EQ(near("points.ply"), "");
  EXPECT_EQ(near("pionts.ply"), "");
  EXPECT_EQ(near(".pionts.ply"), "");
}

TEST_F(NearFile, IsNoneWhereNoFolderIs) {
  EXPECT_EQ(near("no/points.ply"), "");
  EXPECT_EQ(near_file(""), "");
  EXPECT_EQ(near_file(folder_.file("")), "");
  EXPECT_EQ(near_file(folder_.file("pts.ply") + "/"), "");
}

TEST_F(NearFile, IsInTheMessage) {
  EXPECT_EQ(message(folder_.file("pts.ply")), "3: " + folder_.file("pts.ply") + ": No such file or directory");
  create("pts.xyz");
  EXPECT_EQ(
      message(folder_.file("pts.ply")),
      "3: " + folder_.file("pts.ply") + ": No such file or directory; did you mean '" + folder_.file("pts.xyz") + "'?");
}

TEST_F(NearFile, IsLookedForAmongSoManyEntries) {
  for (const char* name : {"one.ply", "two.ply", "points.ply"}) create(name);
  EXPECT_EQ(near_file(folder_.file("pionts.ply"), 0), "");
  EXPECT_EQ(near_file(folder_.file("pionts.ply"), 3), folder_.file("points.ply"));
}

}  // namespace
}  // namespace kann::formats
