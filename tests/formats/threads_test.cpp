// Reading and writing start at most the given number of threads, end them, and work without if none can be started.
#include <atomic>
#include <cerrno>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>

#include "formats/points/read_support.hpp"

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

}  // namespace
}  // namespace kann::formats
