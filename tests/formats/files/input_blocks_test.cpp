// Input::for_each_block: every byte once, from files and from pipes, on any number of threads; a file that shrinks.
#include <atomic>
#include <mutex>
#include <sys/stat.h>
#include <thread>

#include "formats/files/input.hpp"
#include "formats/points/read_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

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
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe"), bytes = random_bytes(3 * k_head + 5);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { put_contents(path, bytes); });
  Input input(path);
  EXPECT_EQ(input.total_size(), bytes.size());
  writer.join();
  for (const int threads : {1, 3}) EXPECT_TRUE(blocks_of(input, 9, bytes.size() - 9, 1000, threads) == bytes.substr(9));
}

TEST(InputBlocks, AFileThatShrinksIsRefusedAlikeOnAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a"), bytes = random_bytes(4 * k_head);
  for (const std::size_t left : {2 * k_head + 3, k_head, k_head / 2})
    for (const int threads : {1, 4}) {
      put_contents(path, bytes);
      Input input(path);
      std::filesystem::resize_file(path, left);
      const auto error = error_of([&] { input.for_each_block(0, bytes.size(), 1000, threads, [](auto, auto) {}); });
      ASSERT_TRUE(error) << left;
      EXPECT_EQ(std::string(error->what()), path + ": the file shrank while it was read (got " +
                                                std::to_string(std::max(left, k_head)) + " bytes, need " +
                                                std::to_string(bytes.size()) + ")");
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

}  // namespace
}  // namespace kann::formats
