// Reading and writing start at most the given number of threads, end them, and work without if none can be started.
// What is made on threads, rows in their order and checksums, is what one makes.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <stdexcept>

#include "formats/points/read_support.hpp"
#include "formats/table/ordered_blocks.hpp"
#include "formats/zip/crc32.hpp"

namespace {

std::atomic<int> running{0}, peak{0};  ///< started threads that run, and the maximum of that number
std::atomic<bool> refuses{false};      ///< pthread_create() fails, as at a limit on processes

struct Start {
  void* (*function)(void*);
  void* argument;
};

void* counted(void* data) {
  const Start start = *std::unique_ptr<Start>(static_cast<Start*>(data));
  void* const result = start.function(start.argument);
  --running;
  return result;
}

}  // namespace

// The program's definition replaces that of the C library.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                              void* argument) noexcept {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (refuses) return EAGAIN;
  auto start = std::make_unique<Start>(Start{function, argument});
  const int now = ++running;
  for (int before = peak; before < now && !peak.compare_exchange_weak(before, now);) continue;
  const int error = create(thread, attributes, counted, start.get());
  if (error)
    --running;
  else
    static_cast<void>(start.release());
  return error;
}

namespace kann::formats {

using namespace test;

namespace {

class IoThreads : public testing::Test {
 protected:
  IoThreads() { put_contents(folder_.file("a.ply"), binary_ply("1100000", std::string(13'200'000, 'a'))); }
  ~IoThreads() override { refuses = false; }

  /// The bytes of a file of that format, written on `threads` threads.
  std::string written(const std::string& format, int threads) {
    const std::string path = folder_.file("a." + format);
    NeighborFile file(path, *neighbor_format(format), true);
    file.write(neighbors_, "{}", threads);
    file.commit();
    return contents(path);
  }
  Points read(int threads) const { return read_points(folder_.file("a.ply"), {.threads = threads}).points; }

  TemporaryFolder folder_;
  Neighbors neighbors_ = sample_neighbors(150'000, 8);  // 165 blocks of text, two chunks in each array of npz
};

TEST_F(IoThreads, AreAtMostThoseRequestedAndEndWithTheCall) {
  const int before = running;  // those of a pool, where other tests have run in this process
  for (const int threads : {1, 2, 3}) {
    peak = before;
    for (const std::string format : {"csv", "tsv", "npz"}) {
      written(format, threads);
      EXPECT_EQ(running, before) << format;
    }
    read(threads);
    EXPECT_EQ(running, before);
    EXPECT_LE(peak, before + threads - 1);
  }
}

TEST_F(IoThreads, AreNotNeededIfNoneCanBeStarted) {
  for (const int threads : {0, 4}) {
    refuses = true;  // before any other call: no thread pool of an earlier one exists
    const std::string csv = written("csv", threads), npz = written("npz", threads);
    const Points points = read(threads);
    refuses = false;
    EXPECT_TRUE(csv == written("csv", 1));
    EXPECT_TRUE(npz == written("npz", 1));
    EXPECT_TRUE(points.coordinates == read(1).coordinates);
  }
}

class StringSink : public ByteSink {
 public:
  explicit StringSink(std::size_t maximum_size = std::size_t{1} << 30) : maximum_size_(maximum_size) {}

  void write(std::span<const std::byte> bytes) override {
    if (text_.size() + bytes.size() > maximum_size_) throw Error(ErrorKind::resources, "full");
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  const std::string& name() const override { return name_; }
  const std::string& text() const { return text_; }

 private:
  std::size_t maximum_size_;
  std::string text_, name_ = "sink";
};

/// Row i is its number and a space, but for `failing`, which throws. A block has one row, or 200.
MadeRows numbers(std::int64_t count, std::size_t longest, std::int64_t failing = -1) {
  return {count, count, longest, [failing](std::int64_t begin, std::int64_t end, char* out) {
            for (std::int64_t row = begin; row < end; ++row) {
              if (row == failing) throw std::runtime_error("row " + std::to_string(row));
              out = std::ranges::copy(std::to_string(row) + " ", out).out;
            }
            return out;
          }};
}
constexpr std::size_t k_longest_rows[] = {1 << 20, (768 << 10) / 200};

TEST(OrderedBlocks, AreWrittenInTheirOrder) {
  for (const std::size_t longest : k_longest_rows)
    for (const std::int64_t count : {0, 1, 2, 200, 201, 1000})
      for (const int threads : {1, 2, 7}) {
        StringSink sink;
        write_made_rows(numbers(count, longest), sink, threads);
        std::string right;
        for (std::int64_t i = 0; i < count; ++i) right += std::to_string(i) + " ";
        EXPECT_EQ(sink.text(), right) << count << " rows, " << threads << " threads";
      }
}

TEST(OrderedBlocks, OneThatCannotBeMadeEndsAll) {
  for (const std::size_t longest : k_longest_rows)
    for (const std::int64_t failing : {0, 1, 500, 999})
      for (const int threads : {1, 2, 7}) {
        StringSink sink;
        EXPECT_THROW(write_made_rows(numbers(1000, longest, failing), sink, threads), std::runtime_error);
        EXPECT_EQ(sink.text().find(std::to_string(failing + 1) + " " + std::to_string(failing + 2)), std::string::npos);
      }
}

TEST(OrderedBlocks, ASinkThatFailsEndsAll) {
  for (const std::size_t longest : k_longest_rows)
    for (const int threads : {1, 2, 7}) {
      StringSink sink(100);
      EXPECT_THROW(write_made_rows(numbers(1000, longest), sink, threads), Error);
    }
}

constexpr std::size_t k_chunk = std::size_t{4} << 20;  // as in crc32.cpp

std::span<const std::byte> as_span(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string random_bytes(std::size_t size) {
  Random r(5);
  std::string bytes;
  while (bytes.size() < size) bytes += static_cast<char>(r.below(256));
  return bytes;
}

TEST(Crc32, OfTheStandardsExample) { EXPECT_EQ(crc32(0, as_span("123456789")), 0xcbf43926); }

TEST(Crc32, OfNothingChangesNothing) {
  EXPECT_EQ(crc32(0, {}), 0u);
  EXPECT_EQ(crc32(0x12345678, {}), 0x12345678u);
}

TEST(Crc32, OfChunksIsThatOfTheWhole) {
  const std::string bytes = random_bytes(2 * k_chunk + 1);
  for (const std::size_t size :
       {std::size_t{1}, k_chunk - 1, k_chunk, k_chunk + 1, 2 * k_chunk - 1, 2 * k_chunk, 2 * k_chunk + 1}) {
    const auto whole = as_span(bytes).first(size);
    EXPECT_EQ(crc32(0, whole), plain_crc32(bytes.substr(0, size))) << size;
    EXPECT_EQ(crc32(crc32(0, whole.first(size / 3)), whole.subspan(size / 3)), plain_crc32(bytes.substr(0, size)))
        << size;
  }
}

TEST(Crc32, OfTwoPartsIsThatOfTheirText) {
  const std::string bytes = random_bytes(1000);
  for (const std::size_t cut : {0, 1, 7, 500, 999, 1000}) {
    const auto first = as_span(bytes).first(cut), second = as_span(bytes).subspan(cut);
    EXPECT_EQ(joined_crc32(crc32(0, first), crc32(0, second), second.size()), crc32(0, as_span(bytes))) << cut;
  }
}

}  // namespace
}  // namespace kann::formats
