// What the lanes of a warp collect on a device: the candidate buffer, the nearest candidates and bounds by counting,
// against std::sort.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "brute_force.hpp"
#include "clouds.hpp"
#include "cuda/launch.cuh"
#include "cuda/placed_points.hpp"
#include "cuda/warp/candidate_buffer.cuh"
#include "cuda/warp/counted_bound.cuh"
#include "cuda/warp/nearest_buffer.cuh"

namespace kann::test {
namespace {

constexpr int k_warp = 32;

constexpr int k_warps = 2, k_lanes = 32 * k_warps, k_capacity = 12, k_group = 4;
using Buffer = cuda::warp::CandidateBuffer<k_capacity>;

/// Lane i takes `count` candidates from d_data + i on: those whose index is no multiple of `skipped`. With d_lists full
/// of keys (`is_new`), it adds to them, and d_rows[index] is the row of a candidate.
struct Input {
  const cuda::PlacedPoint* d_queries;
  const cuda::PlacedPoint* d_data;
  int count;
  float bound;
  std::uint32_t skipped;
  bool drops_itself;
  const std::uint32_t* d_rows;  ///< null: distinct candidates, empty lists
};

/// One thread per lane; d_lists: K keys each.
template <int K>
__global__ void collect_kernel(Input in, std::uint64_t* d_lists) {
  __shared__ Buffer::Shared s_buffers[k_warps];
  Buffer buffer(s_buffers[threadIdx.x / 32]);
  const cuda::thread::Query query(in.d_queries[threadIdx.x], in.drops_itself);
  const auto skip = [&](std::uint32_t index) { return index % in.skipped == 0; };
  const auto row_of = [&](std::uint32_t index) { return in.d_rows[index]; };
  cuda::thread::NearestList<K> list;
  if (in.d_rows) list.load(d_lists + threadIdx.x * K);
  float bound = in.bound;
  const auto flush = [&] {
    in.d_rows ? buffer.flush_new(query, row_of, list) : buffer.flush_distinct(query, list);
    bound = fminf(bound, list.bound());
  };
  const cuda::PlacedPoint* const d_candidates = in.d_data + threadIdx.x;
  for (int i = 0; i < in.count; i += k_group) {
    if (buffer.needs_flush(k_group)) flush();
    if (i + k_group <= in.count) {
      buffer.collect<k_group>(d_candidates + i, query, bound, skip);
    } else {
      for (int j = i; j < in.count; ++j) buffer.collect<1>(d_candidates + j, query, bound, skip);
    }
  }
  flush();
  list.store(d_lists + threadIdx.x * K);
}

/// The lane `owner` alone collects `candidates`; d_lacks[n·32 + lane]: whether the lane says that n more do not fit.
__global__ void room_kernel(const cuda::PlacedPoint* d_data, int owner, int candidates, std::uint8_t* d_lacks) {
  __shared__ Buffer::Shared s_buffer;
  Buffer buffer(s_buffer);
  const int lane = static_cast<int>(threadIdx.x);
  const cuda::thread::Query query(d_data[0], false);
  const auto skip_none = [](std::uint32_t) { return false; };
  const float bound = lane == owner ? INFINITY : -1;
  for (int i = 0; i < candidates; ++i) buffer.collect<1>(d_data + i, query, bound, skip_none);
  for (int n = 1; n <= k_capacity; ++n) d_lacks[n * 32 + lane] = buffer.needs_flush(n);
}

template <class Count>
class CandidateBuffer : public GpuTest {
 protected:
  static constexpr int K = Count::value;

  struct Clouds {
    std::vector<cuda::PlacedPoint> data, queries;
  };

  /// `count` candidates for each lane, and queries of which every other one is one of its candidates.
  static Clouds clouds(const CloudKind& kind, int count) {
    Clouds c{placed_points(kind.make(count + k_lanes, 3, 70), 3), {}};
    const auto others = placed_points(kind.make(k_lanes, 3, 71), 3);
    for (std::size_t i = 0; i < k_lanes; ++i) c.queries.push_back(i % 2 ? others[i] : c.data[i + count / 2]);
    return c;
  }

  /// Lane i's keys of its candidates within `bound` (by their rows), as `in` would have them.
  static std::vector<std::uint64_t> keys(const Clouds& c, std::size_t i, const Input& in,
                                         const std::vector<std::uint32_t>& rows) {
    std::vector<std::uint64_t> all;
    for (std::size_t j = i; j < i + in.count; ++j) {
      const std::uint32_t index = c.data[j].index, row = rows.empty() ? index : rows[index];
      const float sq_dist = fused_sq_distance(&c.queries[i].x, &c.data[j].x, 3);
      if (sq_dist <= in.bound && index % in.skipped != 0 && !(in.drops_itself && row == c.queries[i].index))
        all.push_back(plain_neighbor_key(sq_dist, row));
    }
    return all;
  }

  /// The lists that the lanes are left with.
  static std::vector<std::uint64_t> collected(const Clouds& c, Input in, const std::vector<std::uint64_t>& lists,
                                              const std::vector<std::uint32_t>& rows) {
    Device device;
    const auto d_data = device.upload(c.data), d_queries = device.upload(c.queries);
    const auto d_rows = device.upload(rows);
    const auto d_lists = device.upload(lists);
    in.d_data = d_data.data();
    in.d_queries = d_queries.data();
    in.d_rows = d_rows.data();
    launch(device, 1, k_lanes, collect_kernel<K>, in, d_lists);
    return device.download(d_lists);
  }

  static void expect_nearest(const CloudKind& kind, int count, float bound, std::uint32_t skipped, bool drops_itself) {
    const Clouds c = clouds(kind, count);
    const Input in{nullptr, nullptr, count, bound, skipped, drops_itself, nullptr};
    const auto lists = collected(c, in, std::vector<std::uint64_t>(k_lanes * K, 0xa5a5a5a5a5a5a5a5u), {});
    for (std::size_t i = 0; i < k_lanes; ++i) {
      const auto right = nearest_of(keys(c, i, in, {}), K);
      ASSERT_TRUE(std::equal(right.begin(), right.end(), lists.begin() + i * K))
          << kind.name << " count " << count << " lane " << i;
    }
  }

  /// The candidates stand in the order of their rows, reversed, and each comes twice; the list has the first half.
  static void expect_merged(const CloudKind& kind, int count) {
    Clouds c = clouds(kind, count);
    std::vector<std::uint32_t> rows(c.data.size());
    std::iota(rows.rbegin(), rows.rend(), 0u);
    for (std::size_t i = 1; i < c.data.size(); i += 2) c.data[i] = c.data[i - 1];
    const Input half{nullptr, nullptr, count / 2, INFINITY, 0xffffffffu, true, nullptr};
    Input whole = half;
    whole.count = count;
    std::vector<std::uint64_t> lists, right;
    for (std::size_t i = 0; i < k_lanes; ++i) {
      const auto kept = nearest_of(keys(c, i, half, rows), K), merged = nearest_of(keys(c, i, whole, rows), K);
      lists.insert(lists.end(), kept.begin(), kept.end());
      right.insert(right.end(), merged.begin(), merged.end());
    }
    ASSERT_EQ(collected(c, whole, lists, rows), right) << kind.name << " count " << count;
  }
};

using Lists = Sizes<1, 4, 8, 32>;
TYPED_TEST_SUITE(CandidateBuffer, Lists);

constexpr std::uint32_t k_skip_first_only = 0xffffffffu;

TYPED_TEST(CandidateBuffer, FlushesTheNearestOfAnyNumberOfCandidates) {
  for (const auto& kind : all_clouds())
    for (const int count : {0, 1, 3, 4, 5, 11, 12, 13, 33, 65})
      ASSERT_NO_FATAL_FAILURE(this->expect_nearest(kind, count, INFINITY, k_skip_first_only, count % 2 == 0));
}

TYPED_TEST(CandidateBuffer, PassesOverWhatIsSkippedOrPastTheBound) {
  for (const auto& kind : tied_clouds())
    for (const float bound : {0.0f, 0.1f, 1.0f, 3.0f}) {  // the lattice has candidates at the bounds
      ASSERT_NO_FATAL_FAILURE(this->expect_nearest(kind, 65, bound, k_skip_first_only, false));
      ASSERT_NO_FATAL_FAILURE(this->expect_nearest(kind, 65, bound, 3, true));
    }
}

TYPED_TEST(CandidateBuffer, FlushesNewCandidatesIntoAListThatHasSomeOfThem) {
  for (const auto& kind : all_clouds())
    for (const int count : {0, 1, 4, 13, 64}) ASSERT_NO_FATAL_FAILURE(this->expect_merged(kind, count));
}

class CandidateBufferRoom : public GpuTest {};

TEST_F(CandidateBufferRoom, IsLackingWhereAnyLaneLacksIt) {
  const auto data = placed_points(uniform(k_capacity, 3, 72), 3);
  for (const int owner : {0, 13, 31})
    for (int candidates = 0; candidates <= k_capacity; ++candidates) {
      const auto lacks = results_of((k_capacity + 1) * 32, 1, 32, room_kernel, data, owner, candidates);
      for (int n = 1; n <= k_capacity; ++n)
        for (int lane = 0; lane < 32; ++lane)
          ASSERT_EQ(lacks[n * 32 + lane], candidates + n > k_capacity)
              << candidates << " and " << n << " lane " << lane;
    }
}

/// What a lane is left with: candidates, then what it says of those that are not there.
template <int K>
struct Kept {
  int count;
  std::uint32_t numbers[K];
  float above[K], below[K], left_out, last;
};

/// One warp; lane i is offered d_sq_dists[i·count …], whose numbers are their places.
template <int K, int capacity>
__global__ void keep_kernel(const float* d_sq_dists, int count, float bound, Kept<K>* d_kept) {
  using Buffer = cuda::warp::NearestBuffer<K, capacity>;
  __shared__ typename Buffer::Shared s_shared;
  Buffer buffer(s_shared);
  const int lane = static_cast<int>(threadIdx.x);
  for (int i = 0; i < count; ++i) {
    if (__any_sync(0xffffffffu, !buffer.has_free(1))) buffer.keep_nearest();
    buffer.append_within(bound, d_sq_dists[lane * count + i], static_cast<std::uint32_t>(i));
  }
  Kept<K> kept{};
  kept.last = buffer.keep_nearest();
  kept.count = buffer.count();
  for (int j = 0; j < kept.count; ++j) {
    kept.numbers[j] = buffer.number(j);
    kept.above[j] = buffer.above(j);
    kept.below[j] = buffer.below(j);
  }
  kept.left_out = buffer.left_out();
  d_kept[lane] = kept;
}

/// Lane i has i / 4 · count / 8 candidates at most: the others are NaN. `levels`: how many distances there are.
template <int K, int capacity>
void expect_kept(int count, std::uint64_t levels, float bound) {
  Random random(93);
  std::vector<float> sq_dists;
  for (int i = 0; i < k_warp * count; ++i) {
    const auto value = static_cast<float>(random.below(levels)) * 1e-3f;
    sq_dists.push_back(i % count < (i / count / 4 + 1) * count / 8 ? value : NAN);
  }
  const auto all = results_of(k_warp, 1, k_warp, keep_kernel<K, capacity>, sq_dists, count, bound);
  for (int lane = 0; lane < k_warp; ++lane) {
    const float* const own = sq_dists.data() + lane * count;
    std::vector<float> right;
    std::copy_if(own, own + count, std::back_inserter(right), [&](float x) { return x <= bound; });
    std::sort(right.begin(), right.end());
    const Kept<K>& kept = all[static_cast<std::size_t>(lane)];
    const auto size = std::min<std::size_t>(right.size(), K);
    ASSERT_EQ(kept.count, static_cast<int>(size)) << "lane " << lane;
    std::vector<std::uint32_t> numbers(kept.numbers, kept.numbers + size);
    std::sort(numbers.begin(), numbers.end());
    ASSERT_TRUE(std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end()) << "lane " << lane;
    for (std::size_t j = 0; j < size; ++j) {
      const float kept_sq_dist = own[kept.numbers[j]];
      ASSERT_TRUE(kept.below[j] <= kept_sq_dist && kept_sq_dist <= kept.above[j]) << "lane " << lane;
      ASSERT_TRUE(kept.below[j] <= right[j] && right[j] <= kept.above[j]) << "lane " << lane << " place " << j;
      ASSERT_LE(kept.above[j] - kept.below[j], right[j] * 0x1p-18f + 0x1p-140f);
    }
    if (right.size() > K) {
      ASSERT_TRUE(kept.left_out <= right[K] && kept.left_out >= right[K] * (1 - 0x1p-18f)) << "lane " << lane;
    } else {
      ASSERT_TRUE(std::isnan(kept.left_out)) << "lane " << lane;
    }
    ASSERT_EQ(kept.last, right.size() < K ? INFINITY : kept.above[K - 1]) << "lane " << lane;
  }
}

template <int K, int capacity>
void expect_kept() {
  for (const int count : {0, 1, K - 1, K, K + 1, capacity - 1, capacity, capacity + 1, 8 * capacity})
    for (const std::uint64_t levels : {1ull, 10ull, 1ull << 24})
      for (const float bound : {INFINITY, 0.004f, -1.0f}) expect_kept<K, capacity>(std::max(count, 0), levels, bound);
}

class NearestBuffer : public GpuTest {};

TEST_F(NearestBuffer, KeepsTheNearest) {
  expect_kept<1, 12>();
  expect_kept<2, 12>();
  expect_kept<4, 12>();
  expect_kept<8, 16>();
  expect_kept<16, 28>();
}

/// One warp per place of the points, each of which is a query.
template <int K>
__global__ void bound_kernel(const cuda::PlacedPoint* d_points, std::int64_t count, int size, int dimensions,
                             bool drop_self, float* d_bounds) {
  const cuda::thread::Query query(d_points[blockIdx.x], drop_self);
  const auto window =
      geometry::window_around(static_cast<std::int64_t>(blockIdx.x), cuda::warp::k_bound_rows<K> * 16, count);
  const float bound = cuda::warp::counted_bound<K>(d_points, window, query, size, dimensions);
  if (threadIdx.x == 0) d_bounds[blockIdx.x] = bound;
}

class WarpCountedBound : public GpuTest {
 protected:
  template <int K>
  static void expect_bounds(const CloudKind& kind, std::int64_t n, int d, int size, bool drop_self) {
    auto points = placed_points(kind.make(n, d, 77), d);
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    const auto bounds = results_of(n, n, k_warp, bound_kernel<K>, points, n, size, d, drop_self);
    const std::int64_t length = std::min<std::int64_t>(n, cuda::warp::k_bound_rows<K> * 32);
    std::int64_t within = 0, bounded = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t begin = std::clamp<std::int64_t>(i - length / 2, 0, n - length);
      std::vector<float> sq_dists;
      for (std::int64_t j = begin; j < begin + length; ++j)
        if (!drop_self || points[j].index != points[i].index)
          sq_dists.push_back(geometry::sq_distance_3d(points[i].x - points[j].x, points[i].y - points[j].y,
                                                      points[i].z - points[j].z));
      std::sort(sq_dists.begin(), sq_dists.end());
      const auto finite = std::count_if(sq_dists.begin(), sq_dists.end(), [](float x) { return std::isfinite(x); });
      if (finite < size) {
        ASSERT_EQ(bounds[i], std::numeric_limits<float>::infinity()) << kind.name << " " << i;
        continue;
      }
      ASSERT_GE(bounds[i], sq_dists[size - 1]) << kind.name << " " << i;
      ASSERT_LE(bounds[i], sq_dists[finite - 1]) << kind.name << " " << i;
      within += std::upper_bound(sq_dists.begin(), sq_dists.end(), bounds[i]) - sq_dists.begin();
      ++bounded;
    }
    if (std::string(kind.name) == "uniform") {
      EXPECT_LE(within, bounded * (size + size / 6 + 2)) << n;
    }
  }
};

TEST_F(WarpCountedBound, HoldsAsManyPointsAsTheListAndFewMore) {
  for (const auto& kind : all_clouds())
    for (const int d : {2, 3})
      for (const bool drop_self : {false, true}) {
        for (const std::int64_t n : {1, 33, 64, 65, 700}) {
          expect_bounds<64>(kind, n, d, 33, drop_self);
          expect_bounds<64>(kind, n, d, 64, drop_self);
        }
        expect_bounds<128>(kind, 1000, d, 100, drop_self);
        expect_bounds<256>(kind, 1000, d, 256, drop_self);
      }
}

}  // namespace
}  // namespace kann::test
