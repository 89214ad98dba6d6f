// A search charges the memory that it allocates, and no more than was planned for it.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <new>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "kann/search.hpp"

#include "base/host_memory.hpp"
#include "clouds.hpp"
#include "flow/clusters_in_tiles.hpp"
#include "flow/in_pieces.hpp"
#include "flow/in_tiles.hpp"
#include "flow/lists_in_tiles.hpp"
#include "flow/memory_source.hpp"
#include "flow/ranks/threads.hpp"
#include "flow/rows/found.hpp"
#include "flow/rows/result_store.hpp"
#include "flow/sources/file_source.hpp"
#include "flow/tile_sizes.hpp"
#include "formats/cloud_rows.hpp"

namespace {

std::atomic<std::int64_t> allocated = 0, most_allocated = 0;

void count(std::int64_t bytes) {
  const std::int64_t now = allocated += bytes;
  for (std::int64_t before = most_allocated; now > before && !most_allocated.compare_exchange_weak(before, now);)
    continue;
}

/// Memory with its size in front of it: what malloc() rounds up depends on where the memory is.
void* allocate(std::size_t bytes, std::size_t align) {
  void* const memory = std::aligned_alloc(align, align + (bytes + align - 1) / align * align);
  if (!memory) throw std::bad_alloc();
  *static_cast<std::size_t*>(memory) = bytes;
  count(static_cast<std::int64_t>(bytes));
  return static_cast<std::byte*>(memory) + align;
}
void release(void* memory, std::size_t align) {
  if (!memory) return;
  void* const whole = static_cast<std::byte*>(memory) - align;
  count(-static_cast<std::int64_t>(*static_cast<std::size_t*>(whole)));
  std::free(whole);
}

constexpr std::size_t k_align = 16;

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// All memory of this program, counted: the arrays of a search come from here.
void* operator new(std::size_t bytes) { return allocate(bytes, k_align); }
void* operator new(std::size_t bytes, std::align_val_t align) {
  return allocate(bytes, static_cast<std::size_t>(align));
}
void operator delete(void* memory) noexcept { release(memory, k_align); }
void operator delete(void* memory, std::size_t) noexcept { release(memory, k_align); }
void operator delete(void* memory, std::align_val_t align) noexcept {
  release(memory, static_cast<std::size_t>(align));
}
void operator delete(void* memory, std::size_t, std::align_val_t align) noexcept {
  release(memory, static_cast<std::size_t>(align));
}
#endif

namespace kann::flow {
namespace {

/// What a piece of work has allocated at a time, at most.
template <class F>
double allocated_by(F f) {
  const std::int64_t before = allocated;
  most_allocated = before;
  f();
  return static_cast<double>(most_allocated - before);
}

/// That a search charges what it allocates: not less, but for what is too small to be charged, and not far more.
void expect_charged(const base::MemoryBudget& memory, double allocated_bytes, const std::string& what) {
  if (allocated_bytes == 0) return;  // a sanitizer counts
  constexpr double uncharged = 3e5;
  const auto charged = static_cast<double>(memory.peak());
  EXPECT_LE(allocated_bytes, 1.02 * charged + uncharged) << what;
  EXPECT_LE(charged, 1.6 * allocated_bytes + uncharged) << what;
}

/// One cloud in clusters and one that is uniform, of as many points.
test::MemorySource source(int d, std::int64_t n, bool is_clustered, bool is_float64) {
  const test::Coordinates c = is_clustered ? test::clusters(n, d, 1) : test::uniform(n, d, 2);
  return is_float64 ? test::MemorySource(d, test::Doubles(c.begin(), c.end())) : test::MemorySource(d, c);
}

/// A search, and how many of `points` data points and of 60,000 queries each of its ranks has.
struct Charged {
  int d = 3;
  bool is_float64 = false;
  std::int64_t k = 1;
  std::optional<double> radius = {};  ///< of lists and clusters
  bool is_self = true, is_periodic = false;
  int ranks = 1;
  std::int64_t points = 60'000;
};

constexpr std::int64_t k_queries = 60'000;

/// Makes what is looked for, as one of the ranks.
using Make = std::function<void(const PlacedClouds& clouds, Communicator& own)>;

/// Makes it with the smallest budget, for which there are many tiles, and with others, for which there are some, or
/// pieces of the queries.
void expect_within_plan(const Charged& c, Finds finds, const Make& make) {
  const auto data = source(c.d, c.points, true, c.is_float64), other = source(c.d, k_queries, false, c.is_float64);
  const PointSource* const queries = c.is_self ? nullptr : &other;
  SearchOptions search;
  search.k = c.k;
  search.radius = c.radius;
  search.threads = 2;
  search.device.kind = DeviceKind::cpu;
  if (c.is_periodic) search.periodic.assign(static_cast<std::size_t>(c.d), 1.0);
  const CloudShape share{c.points / c.ranks, c.is_float64}, of_query{k_queries / c.ranks, c.is_float64};
  const SearchShape shape =
      search_shape(search, c.d, share, c.is_self ? std::nullopt : std::optional(of_query), {}, c.ranks, finds);
  const double program = base::program_bytes(shape.threads, c.ranks > 1);
  SearchShape tiled = shape;
  tiled.ranks = std::max(2, c.ranks);  // which are never in memory
  const double beside = finds == Finds::rows ? base::program_bytes(shape.threads, true) - program : 0;
  for (const double more : {0., 1e6, 4e6}) {
    const double budget = smallest_budget(tiled) - beside + more;
    const auto pieces = piece_sizes(shape, {budget}), tiles = tile_sizes(shape, {budget});
    ASSERT_TRUE(pieces || tiles);
    EXPECT_FALSE(pieces && finds != Finds::rows);
    run_on_threads(c.ranks, [&](Communicator& own) {
      base::MemoryBudget memory(budget - program);
      const FileSearchOptions options{search, pieces ? *pieces : *tiles, std::filesystem::temp_directory_path(),
                                      &memory};
      const std::string what = std::to_string(c.d) + "-D, k " + std::to_string(c.k) + ", radius " +
                               std::to_string(c.radius.value_or(-1)) + (c.is_self ? ", self" : "") +
                               (c.is_periodic ? ", periodic" : "") + (pieces ? ", pieces" : ", tiles of ") +
                               std::to_string(options.sizes.tile_points) + ", ranks " + std::to_string(c.ranks);
      const double taken = allocated_by([&] {
        if (pieces)
          in_kept_pieces(data, queries, options, own);
        else
          make({data, queries, options, own}, own);
      });
      EXPECT_LE(static_cast<double>(memory.peak()), memory.limit()) << what;
      if (c.ranks == 1) expect_charged(memory, taken, what);
      EXPECT_EQ(memory.in_use(), 0);
    });
  }
}

/// A file of big-ann's fbin: two counts, and the coordinates.
std::string write_fbin(const std::string& name, const test::Coordinates& c) {
  const std::string path = std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()) + ".fbin");
  std::ofstream file(path, std::ios::binary);
  const std::uint32_t head[] = {static_cast<std::uint32_t>(c.size() / 3), 3};
  file.write(reinterpret_cast<const char*>(head), sizeof head);
  file.write(reinterpret_cast<const char*>(c.data()), static_cast<std::streamsize>(c.size() * sizeof(float)));
  return path;
}

/// The blocks that products take, and the points that their rows name.
TEST(TilePlan, BlocksAreChargedAsTheyAreAllocated) {
  constexpr std::int64_t n = 100'000;
  const test::Coordinates clusters = test::clusters(n, 3, 1), uniform = test::uniform(n, 3, 2);
  const std::string data_path = write_fbin("kann_data", clusters), query_path = write_fbin("kann_query", uniform);
  const std::string folder = std::filesystem::temp_directory_path();
  Alone alone;
  for (const std::int64_t k : {1, 8, 30}) {
    SearchOptions options;
    options.k = k;
    options.device.kind = DeviceKind::cpu;
    const Neighbors found =
        search({3, std::span<const float>(clusters)}, {3, std::span<const float>(uniform)}, options).neighbors;
    for (const std::int64_t block : {n / 10, n / 3}) {
      base::MemoryBudget memory;
      const double taken = allocated_by([&] {
        ResultStore rows(alone, {.data_points = n, .k = k}, row_blocks(n, block), {folder, 1 << 14, 2, &memory});
        rows.add_consecutive(0, found);
        const FileSource data(data_path, formats::open_rows(data_path, {}).rows, 0, n, 2, &memory);
        const FileSource query(query_path, formats::open_rows(query_path, {}).rows, 0, n, 2, &memory);
        const Found answer(rows.results(), FoundInFiles{data, query, {}, memory, 2, block});
        answer.for_each({.queries = true, .data = true}, [](const FoundBlock&) {});
      });
      expect_charged(memory, taken, "blocks of " + std::to_string(block) + ", k " + std::to_string(k));
      EXPECT_EQ(memory.in_use(), 0);
    }
  }
  std::filesystem::remove(data_path);
  std::filesystem::remove(query_path);
}

TEST(TilePlan, CoversWhatIsChargedForRows) {
  const auto make = [](const PlacedClouds& clouds, Communicator& own) { in_tiles(clouds, own); };
  for (const bool is_self : {false, true})
    for (const bool is_periodic : {false, true})
      for (const int ranks : {1, 3})
        for (const Charged& c : {Charged{.d = 3, .k = 8}, {.d = 2, .is_float64 = true, .k = 1}, {.d = 2, .k = 30}}) {
          Charged all = c;
          all.is_self = is_self, all.is_periodic = is_periodic, all.ranks = ranks;
          expect_within_plan(all, Finds::rows, make);
        }
}

/// Lists are also passed on.
TEST(TilePlan, CoversWhatIsChargedForLists) {
  const auto make = [](const PlacedClouds& clouds, Communicator& own) {
    const FileLists found = lists_in_tiles(clouds, {}, own);
    EXPECT_GT(found.neighbors, clouds.data().size());
    if (own.rank() > 0) return found.store->serve();
    found.store->results().for_each([](const Rows&) {});
    found.store->end_service();
  };
  for (const bool is_self : {false, true})
    for (const bool is_periodic : {false, true}) {
      const Charged c{.radius = .02, .is_self = is_self, .is_periodic = is_periodic},
          wide{2, true, 1, .01, is_self, is_periodic, is_self ? 1 : 3};
      expect_within_plan(c, Finds::lists, make);
      expect_within_plan(wide, Finds::lists, make);
    }
  expect_within_plan({.radius = .02, .is_self = false, .points = 500}, Finds::lists, make);  // most have no neighbour
}

/// Rank 0 keeps the labels.
TEST(TilePlan, CoversWhatIsChargedForClusters) {
  const auto make = [](const PlacedClouds& clouds, Communicator& own) { clusters_in_tiles(clouds, 10, own); };
  for (const bool is_periodic : {false, true})
    for (const int ranks : {1, 3}) {
      expect_within_plan({.radius = .002, .is_periodic = is_periodic, .ranks = ranks}, Finds::clusters, make);
      expect_within_plan({2, true, 1, .001, true, is_periodic, ranks}, Finds::clusters, make);
    }
}

}  // namespace
}  // namespace kann::flow
