// Sequences in a temporary file, against vectors in memory.
#include "formats/files/spool.hpp"

#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <thread>

#include "base/memory_budget.hpp"
#include "formats/write_support.hpp"

namespace kann::formats {
namespace {

using namespace test;

std::vector<std::byte> bytes_of(Random& r, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(r.below(256));
  return bytes;
}

/// Appends to four sequences and takes them, in any order.
void expect_what_was_given(const std::string& folder, std::size_t chunk, base::MemoryBudget* memory) {
  Random r(chunk);
  Spool spool(folder, 3, chunk, memory);
  EXPECT_EQ(spool.add_stream(), 3u);
  std::vector<std::vector<std::byte>> want(4);
  for (int step = 0; step < 300; ++step) {
    const std::size_t stream = r.below(4);
    if (r.below(10) > 0) {
      const auto bytes = bytes_of(r, r.below(150));
      spool.append(stream, bytes);
      want[stream].insert(want[stream].end(), bytes.begin(), bytes.end());
      continue;
    }
    ASSERT_EQ(spool.size(stream), want[stream].size());
    ASSERT_TRUE(std::ranges::equal(spool.read(stream, 3), want[stream]));
    const std::size_t part = 1 + r.below(40);
    std::vector<std::byte> read, taken;
    const auto collect = [&](std::vector<std::byte>& into) {
      return [&into, part, all = want[stream].size()](std::span<const std::byte> bytes) {
        EXPECT_EQ(bytes.size(), std::min(part, all - into.size()));
        into.insert(into.end(), bytes.begin(), bytes.end());
      };
    };
    spool.read(stream, part, collect(read));
    spool.take(stream, part, collect(taken));
    ASSERT_EQ(read, want[stream]);
    ASSERT_EQ(taken, want[stream]);
    ASSERT_EQ(spool.size(stream), 0u);
    want[stream].clear();
  }
}

TEST(Spool, GivesBackWhatEachSequenceWasGiven) {
  const TemporaryFolder folder;
  for (const std::size_t chunk : {1, 2, 7, 64, 1000}) expect_what_was_given(folder.path(), chunk, nullptr);
  EXPECT_EQ(folder.names(), std::vector<std::string>()) << "the file has no name";
}

TEST(Spool, GivesBackWhatIsInMemoryInPart) {
  const TemporaryFolder folder;
  for (const std::size_t chunk : {1, 2, 7, 64, 1000})
    for (const double spare : {1., 999., 5000., 1e9}) {
      base::MemoryBudget memory;
      memory.set_spare(spare);
      expect_what_was_given(folder.path(), chunk, &memory);
      EXPECT_EQ(memory.in_use(), 0);
      EXPECT_TRUE(memory.take_spare(static_cast<std::int64_t>(spare))) << "it has been given back";
      EXPECT_FALSE(memory.take_spare(1));
    }
}

TEST(Spool, IsOnTheDiskOnceMemoryIsTaken) {
  const TemporaryFolder folder;
  base::MemoryBudget memory;
  memory.set_spare(1000);
  Spool spool(folder.path(), 20, 100, &memory);
  const std::int64_t before = memory.in_use();
  const std::vector<std::byte> bytes(500);
  spool.append(0, bytes);
  spool.append(1, bytes);
  EXPECT_EQ(spool.file_bytes(), 0u);
  EXPECT_GE(memory.in_use() - before, 1000);
  spool.append(2, bytes);
  EXPECT_EQ(spool.file_bytes(), 500u);
  spool.take(0, 500, [](std::span<const std::byte>) {});
  spool.append(8, bytes);  // whose file is that of sequence 0
  EXPECT_EQ(spool.file_bytes(), 500u) << "memory that was left is used again";
}

TEST(Spool, TakesWhatIsAppendedMeanwhileForTheNextTime) {
  const TemporaryFolder folder;
  Spool spool(folder.path(), 1, 2);
  const std::vector<std::byte> bytes(5, std::byte{1});
  spool.append(0, bytes);
  int parts = 0;
  spool.take(0, 1, [&](std::span<const std::byte>) {
    ++parts;
    spool.append(0, bytes);
  });
  EXPECT_EQ(parts, 5);
  EXPECT_EQ(spool.size(0), 25u);
}

TEST(Spool, UsesTheRoomOfWhatWasTaken) {
  const TemporaryFolder folder;
  Spool spool(folder.path(), 20, 100);
  const std::vector<std::byte> bytes(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    spool.append(i % 20, bytes);
    spool.take(i % 20, 1000, [](std::span<const std::byte>) {});
  }
  EXPECT_EQ(spool.file_bytes(), 8000u) << "eight files, whose sequences share their room";
}

TEST(Spool, TakesSequencesFromSeveralThreads) {
  const TemporaryFolder folder;
  constexpr std::size_t streams = 40;
  Spool spool(folder.path(), streams / 2, 100);
  std::vector<std::vector<std::byte>> want(streams);
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Random r(t);
      std::vector<std::size_t> own;
      for (std::size_t s = t; s < streams / 2; s += 4) own.push_back(s);
      for (int step = 0; step < 400; ++step) {
        if (step % 80 == 79) own.push_back(spool.add_stream());
        const std::size_t stream = own[r.below(own.size())];
        const auto bytes = bytes_of(r, r.below(1000));
        if (step % 7 == 6) {
          spool.take(stream, 300, [](std::span<const std::byte>) {});
          want[stream].clear();
        }
        spool.append(stream, bytes);
        want[stream].insert(want[stream].end(), bytes.begin(), bytes.end());
      }
    });
  threads.clear();
  EXPECT_EQ(spool.add_stream(), streams);
  for (std::size_t s = 0; s < streams; ++s) EXPECT_TRUE(std::ranges::equal(spool.read(s, 2), want[s])) << s;
}

TEST(Spool, OpensNoMoreFilesThanItsSequencesNeed) {
  const TemporaryFolder folder;
  const auto open_files = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  const auto before = open_files();
  Spool spool(folder.path(), 100, 10);
  EXPECT_EQ(open_files(), before + 1);
  for (const std::size_t stream : {0, 0, 1, 1}) spool.append(stream, std::vector<std::byte>(10));
  EXPECT_LE(open_files(), before + 2);
  for (std::size_t stream = 0; stream < 100; ++stream) spool.append(stream, std::vector<std::byte>(10));
  EXPECT_LE(open_files(), before + 8);
  EXPECT_EQ(spool.file_bytes(), 1040u);
}

TEST(Spool, ChargesWhatASequenceHasWhateverThePart) {
  const TemporaryFolder folder;
  base::MemoryBudget memory;
  Spool spool(folder.path(), 1, 100, &memory);
  spool.append(0, std::vector<std::byte>(250));
  const std::int64_t before = memory.in_use();
  spool.take(0, 1'000'000, [&](std::span<const std::byte> part) {
    EXPECT_EQ(part.size(), 250u);
    EXPECT_LE(memory.in_use() - before, static_cast<std::int64_t>(Spool::part_bytes(250, 100)));
  });
}

TEST(Spool, SaysWhereItCannotBe) {
  EXPECT_EQ(failure_of([] { Spool("/nowhere/at/all", 1, 10); }),
            "4: /nowhere/at/all: temporary file: No such file or directory; --temp-folder takes another folder");
}

TEST(Spool, SaysThatTheFileCannotGrow) {
  const TemporaryFolder folder;
  const rlimit no_files{0, RLIM_INFINITY};
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &no_files);
  const std::string message = failure_of([&] { Spool(folder.path(), 1, 10).append(0, std::vector<std::byte>(10)); });
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(message,
            "4: " + folder.path().string() + ": temporary file: File too large; --temp-folder takes another folder");
}

}  // namespace
}  // namespace kann::formats
