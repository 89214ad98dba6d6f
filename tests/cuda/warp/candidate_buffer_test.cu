// The candidate buffer of a warp on a device: lists that are filled through it, against std::sort.
#include <algorithm>

#include "brute_force.hpp"
#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/placed_points.hpp"
#include "cuda/warp/candidate_buffer.cuh"

namespace kann {
namespace {

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
class CandidateBuffer : public test::GpuTest {
 protected:
  static constexpr int K = Count::value;

  struct Clouds {
    std::vector<cuda::PlacedPoint> data, queries;
  };

  /// `count` candidates for each lane, and queries of which every other one is one of its candidates.
  static Clouds clouds(const test::CloudKind& kind, int count) {
    Clouds c{test::placed_points(kind.make(count + k_lanes, 3, 70), 3), {}};
    const auto others = test::placed_points(kind.make(k_lanes, 3, 71), 3);
    for (std::size_t i = 0; i < k_lanes; ++i) c.queries.push_back(i % 2 ? others[i] : c.data[i + count / 2]);
    return c;
  }

  /// Lane i's keys of its candidates within `bound` (by their rows), as `in` would have them.
  static std::vector<std::uint64_t> keys(const Clouds& c, std::size_t i, const Input& in,
                                         const std::vector<std::uint32_t>& rows) {
    std::vector<std::uint64_t> all;
    for (std::size_t j = i; j < i + in.count; ++j) {
      const std::uint32_t index = c.data[j].index, row = rows.empty() ? index : rows[index];
      const float sq_dist = test::fused_sq_distance(&c.queries[i].x, &c.data[j].x, 3);
      if (sq_dist <= in.bound && index % in.skipped != 0 && !(in.drops_itself && row == c.queries[i].index))
        all.push_back(test::plain_neighbor_key(sq_dist, row));
    }
    return all;
  }

  static void expect_nearest(const test::CloudKind& kind, int count, float bound, std::uint32_t skipped,
                             bool drops_itself) {
    const Clouds c = clouds(kind, count);
    test::Device device;
    const auto d_data = device.upload(c.data), d_queries = device.upload(c.queries);
    const auto d_lists = device.poisoned<std::uint64_t>(k_lanes * K);
    const Input in{d_queries.data(), d_data.data(), count, bound, skipped, drops_itself, nullptr};
    collect_kernel<K><<<1, k_lanes, 0, device.stream()>>>(in, d_lists.data());
    cuda::check_launch("collect");
    const auto lists = device.download(d_lists);
    for (std::size_t i = 0; i < k_lanes; ++i) {
      const auto right = test::nearest_of(keys(c, i, in, {}), K);
      ASSERT_TRUE(std::equal(right.begin(), right.end(), lists.begin() + i * K))
          << kind.name << " count " << count << " lane " << i;
    }
  }

  /// The candidates stand in the order of their rows, reversed, and each comes twice; the list has the first half.
  static void expect_merged(const test::CloudKind& kind, int count) {
    Clouds c = clouds(kind, count);
    const auto size = static_cast<std::uint32_t>(c.data.size());
    std::vector<std::uint32_t> rows;
    for (std::uint32_t index = 0; index < size; ++index) rows.push_back(size - 1 - index);
    for (std::size_t i = 1; i < c.data.size(); i += 2) c.data[i] = c.data[i - 1];
    Input in{nullptr, nullptr, count / 2, INFINITY, 0xffffffffu, true, nullptr};
    std::vector<std::uint64_t> lists, right;
    for (std::size_t i = 0; i < k_lanes; ++i) {
      in.count = count / 2;
      const auto kept = test::nearest_of(keys(c, i, in, rows), K);
      lists.insert(lists.end(), kept.begin(), kept.end());
      in.count = count;
      const auto merged = test::nearest_of(keys(c, i, in, rows), K);
      right.insert(right.end(), merged.begin(), merged.end());
    }

    test::Device device;
    const auto d_data = device.upload(c.data), d_queries = device.upload(c.queries);
    const auto d_rows = device.upload(rows);
    const auto d_lists = device.upload(lists);
    in = {d_queries.data(), d_data.data(), count, INFINITY, 0xffffffffu, true, d_rows.data()};
    collect_kernel<K><<<1, k_lanes, 0, device.stream()>>>(in, d_lists.data());
    cuda::check_launch("collect");
    ASSERT_EQ(device.download(d_lists), right) << kind.name << " count " << count;
  }
};

using Counts = testing::Types<std::integral_constant<int, 1>, std::integral_constant<int, 4>,
                              std::integral_constant<int, 8>, std::integral_constant<int, 32>>;
TYPED_TEST_SUITE(CandidateBuffer, Counts);

constexpr std::uint32_t k_skip_first_only = 0xffffffffu;

TYPED_TEST(CandidateBuffer, FlushesTheNearestOfAnyNumberOfCandidates) {
  for (const auto& kind : test::all_clouds())
    for (const int count : {0, 1, 3, 4, 5, 11, 12, 13, 33, 65})
      ASSERT_NO_FATAL_FAILURE(this->expect_nearest(kind, count, INFINITY, k_skip_first_only, count % 2 == 0));
}

TYPED_TEST(CandidateBuffer, PassesOverWhatIsSkippedOrPastTheBound) {
  for (const auto& kind : test::tied_clouds())
    for (const float bound : {0.0f, 0.1f, 1.0f, 3.0f}) {  // the lattice has candidates at the bounds
      ASSERT_NO_FATAL_FAILURE(this->expect_nearest(kind, 65, bound, k_skip_first_only, false));
      ASSERT_NO_FATAL_FAILURE(this->expect_nearest(kind, 65, bound, 3, true));
    }
}

TYPED_TEST(CandidateBuffer, FlushesNewCandidatesIntoAListThatHasSomeOfThem) {
  for (const auto& kind : test::all_clouds())
    for (const int count : {0, 1, 4, 13, 64}) ASSERT_NO_FATAL_FAILURE(this->expect_merged(kind, count));
}

class CandidateBufferRoom : public test::GpuTest {};

TEST_F(CandidateBufferRoom, IsLackingWhereAnyLaneLacksIt) {
  test::Device device;
  const auto d_data = device.upload(test::placed_points(test::uniform(k_capacity, 3, 72), 3));
  for (const int owner : {0, 13, 31})
    for (int candidates = 0; candidates <= k_capacity; ++candidates) {
      const auto d_lacks = device.poisoned<std::uint8_t>((k_capacity + 1) * 32);
      room_kernel<<<1, 32, 0, device.stream()>>>(d_data.data(), owner, candidates, d_lacks.data());
      cuda::check_launch("room");
      const auto lacks = device.download(d_lacks);
      for (int n = 1; n <= k_capacity; ++n)
        for (int lane = 0; lane < 32; ++lane)
          ASSERT_EQ(lacks[n * 32 + lane], candidates + n > k_capacity)
              << candidates << " and " << n << " lane " << lane;
    }
}

}  // namespace
}  // namespace kann
