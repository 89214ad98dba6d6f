// The parts of the exact search, on each vector target: widened bounds, float64 lists, rows, and keys that are left
// out.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "brute_force.hpp"
#include "clouds.hpp"
#include "cpu/nearest/exact_row-inl.hpp"
#include "cpu/nearest/float64_list-inl.hpp"
#include "cpu/nearest/query_bounds-inl.hpp"
#include "cpu/on_vector_target.hpp"
#include "cpu/vector/buffer_list-inl.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"
#include "geometry/filter.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// A float32 of any magnitude, 0 and infinity among them.
inline float any_float(test::Random& random) { return float_of(static_cast<std::uint32_t>(random.below(0x7f800001))); }

/// A widened bound is at least what geometry/filter.hpp proves, and not far above it.
void check_widening() {
  test::Random random(71);
  const double given_data = 0;
  Problem given_problem, framed_problem;
  framed_problem.given_data = &given_data;  // it is rounded
  for (int round = 0; round < 200000; ++round) {
    const float sq_dist = any_float(random);
    const GivenFilter given;
    const float widened = hn::GetLane(Widening(given_problem, 0)(hn::Set(Floats(), sq_dist)));
    ASSERT_GE(widened, given.above(given.exact_above(sq_dist))) << sq_dist;
    ASSERT_LE(widened, sq_dist * (1 + 0x1p-18f) + 0x1p-125f) << sq_dist;

    const float largest = std::min(any_float(random), std::numeric_limits<float>::max());
    const double unit = std::ldexp(1.0, static_cast<int>(random.below(1200)) - 600);
    const FrameFilter filter(largest, unit);
    if ((std::sqrt(static_cast<double>(sq_dist)) + largest) * unit > 0x1p500) continue;  // wider than clouds may be
    framed_problem.unit = unit;
    const float in_frame = hn::GetLane(Widening(framed_problem, largest)(hn::Set(Floats(), sq_dist)));
    ASSERT_GE(in_frame, filter.above(filter.exact_above(sq_dist))) << sq_dist << " " << largest << " " << unit;
    if (largest < 1 && unit == 1 && sq_dist > 1) {
      ASSERT_LE(in_frame, sq_dist * 1.00001f) << sq_dist;
    }
  }
}

/// Roots are those of long double, rounded once: of random numbers, of squares of the middles between two float32s, and
/// of their neighbours.
void check_roots() {
  test::Random random(72);
  HWY_ALIGN double sq_dists[k_key_lanes];
  HWY_ALIGN float roots[k_key_lanes];
  for (int round = 0; round < 100000; ++round) {
    for (double& sq_dist : sq_dists) {
      const float x = float_of(static_cast<std::uint32_t>(random.below(0x7f000000)));
      const double middle = (static_cast<double>(x) + static_cast<double>(std::nextafter(x, 1e38f))) / 2;
      sq_dist = round % 2 ? middle * middle : static_cast<double>(x) * (1 + random.uniform());
      if (round % 4 == 3) sq_dist = std::nextafter(sq_dist, random.below(2) ? 0 : 1e300);
      if (random.below(50) == 0) sq_dist = std::ldexp(random.uniform(), static_cast<int>(random.below(2000)) - 1074);
    }
    hn::StoreU(rounded_roots(hn::Load(Doubles(), sq_dists)), HalfFloats(), roots);
    for (int i = 0; i < k_key_lanes; ++i) ASSERT_EQ(roots[i], test::plain_root(sq_dists[i])) << sq_dists[i];
  }
}

/// A list holds the smallest (squared distance, id) of all candidates below its bounds, against std::set.
template <class List>
void check_float64_list(std::int64_t size) {
  test::Random random(73 + size);
  Float64List<List> list(size);
  std::vector<double> sq_dists(size + k_lanes);
  std::vector<std::int32_t> ids(size + k_lanes);
  for (int round = 0; round < 40; ++round) {
    list.clear();
    std::set<std::pair<double, std::int64_t>> all;
    const std::uint64_t distances = 1 + random.below(round % 4 == 0 ? 1 : 60);
    std::set<std::int64_t> used;
    for (std::uint64_t i = random.below(200) * 8; i > 0; --i) {
      HWY_ALIGN double some[k_key_lanes];
      HWY_ALIGN std::int64_t some_ids[k_key_lanes];
      for (int lane = 0; lane < k_key_lanes; ++lane) {
        some[lane] = 1 + 0x1p-52 * static_cast<double>(random.below(distances));
        do some_ids[lane] = static_cast<std::int64_t>(random.below(1u << 20));
        while (!used.insert(some_ids[lane]).second);
      }
      Float64Bounds<3> bounds;
      bounds.bound = hn::Set(Doubles(), list.bound());
      bounds.last_id = hn::Set(Longs(), list.last_id());
      for (int lane = 0; lane < k_key_lanes; ++lane) all.emplace(some[lane], some_ids[lane]);
      const auto d = hn::Load(Doubles(), some);
      const auto id = hn::Load(Longs(), some_ids);
      if (list.append(d, id, bounds.below(d, id))) list.flush();
    }
    const std::int64_t found = list.finish();
    ASSERT_EQ(found, std::min(size, static_cast<std::int64_t>(all.size())));
    list.copy(sq_dists.data(), ids.data());
    std::set<std::pair<double, std::int64_t>> got;
    for (std::int64_t i = 0; i < found; ++i) got.emplace(sq_dists[i], ids[i]);
    ASSERT_EQ(got, std::set(all.begin(), std::next(all.begin(), found)));
  }
}

void check_float64_lists() {
  for (const std::int64_t size : {1, 2, 7, 8}) ASSERT_NO_FATAL_FAILURE(check_float64_list<RegisterList<8>>(size));
  for (const std::int64_t size : {1, 9, 17, 32}) ASSERT_NO_FATAL_FAILURE(check_float64_list<RegisterList<32>>(size));
  for (const std::int64_t size : {1, 33, 100}) ASSERT_NO_FATAL_FAILURE(check_float64_list<BufferList<>>(size));
}

/// Rows are in the order of (distance, id), whatever the order of the neighbours; and nothing is written beside them.
template <class List>
void check_row(std::int64_t size) {
  test::Random random(74 + size);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t k = size + static_cast<std::int64_t>(random.below(3));
    const std::int64_t count = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size) + 1));
    std::vector<std::int32_t> ids(3 * k, 77);
    std::vector<float> distances(3 * k, 77);
    const HostRows rows{ids.data(), distances.data(), k, 1};
    ExactRow<List> row(size);
    std::vector<test::Neighbor> want;
    for (std::int64_t i = 0; i < count; ++i) {
      row.sq_dists[i] = 1 + 0x1p-30 * static_cast<double>(random.below(1000));
      row.ids[i] = static_cast<std::int32_t>(1000 * random.below(1000) + i);
      want.emplace_back(test::plain_root(row.sq_dists[i]), row.ids[i]);
    }
    std::sort(want.begin(), want.end());
    want.resize(k, test::Neighbor{std::numeric_limits<float>::infinity(), -1});
    if (round % 3 == 0) {
      row.template write<false>(count, rows, 1);
    } else if (round % 3 == 1 || count == 0 || count > k_key_lanes) {
      row.template write<true>(count, rows, 1);
    } else {
      row.write(hn::LoadU(Doubles(), row.sq_dists.data()), hn::LoadU(HalfSigned(), row.ids.data()), count, rows, 1);
    }
    for (std::int64_t i = 0; i < 3 * k; ++i) {
      const bool own = i >= k && i < 2 * k;
      ASSERT_EQ(ids[i], own ? want[i - k].second : 77) << i << " of " << k;
      ASSERT_EQ(distances[i], own ? want[i - k].first : 77) << i << " of " << k;
    }
  }
}

void check_rows() {
  for (const std::int64_t size : {1, 3, 4, 7, 8}) ASSERT_NO_FATAL_FAILURE(check_row<RegisterList<8>>(size));
  for (const std::int64_t size : {9, 16, 31, 32}) ASSERT_NO_FATAL_FAILURE(check_row<RegisterList<32>>(size));
  for (const std::int64_t size : {33, 100}) ASSERT_NO_FATAL_FAILURE(check_row<BufferList<>>(size));
}

/// A list that filters knows whether it left out anything up to a bound.
template <class List>
void check_left_out(std::int64_t size) {
  using Filtered = typename List::template Of<FilterKeys>;
  test::Random random(75 + size);
  Filtered list(size);
  for (int round = 0; round < 300; ++round) {
    list.clear();
    std::vector<float> all;
    const std::uint64_t distances = 1 + random.below(400);
    for (std::uint64_t batch = random.below(20); batch > 0; --batch) {
      CandidateBuffer<32> candidates;
      for (std::uint64_t i = random.below(33); i > 0; --i) {
        all.push_back(static_cast<float>(random.below(distances)));
        candidates.sq_dists[candidates.count] = all.back();
        candidates.ids[candidates.count++] = static_cast<std::uint32_t>(all.size());
      }
      list.insert(candidates.sq_dists, candidates.ids, candidates.count);
    }
    list.finish();
    std::sort(all.begin(), all.end());
    const bool full = static_cast<std::int64_t>(all.size()) > size;
    const float left_out = full ? all[static_cast<std::size_t>(size)] : std::numeric_limits<float>::infinity();
    for (const float bound : {left_out - 1, left_out, left_out + 1})
      if (bound >= 0 && bound < std::numeric_limits<float>::infinity()) {
        ASSERT_EQ(list.leaves_out_only_beyond(hn::Set(Floats(), bound)), left_out > bound)
            << size << " of " << all.size();
      }
  }
}

void check_lists_that_filter() {
  for (const std::int64_t size : {1, 2, 7, 8}) ASSERT_NO_FATAL_FAILURE(check_left_out<RegisterList<8>>(size));
  for (const std::int64_t size : {1, 9, 17, 32}) ASSERT_NO_FATAL_FAILURE(check_left_out<RegisterList<32>>(size));
  for (const std::int64_t size : {1, 33, 100}) ASSERT_NO_FATAL_FAILURE(check_left_out<BufferList<>>(size));
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(void check_widening(); void check_roots(); void check_float64_lists(); void check_rows();
                    void check_lists_that_filter();)

namespace {

class ExactParts : public OnVectorTarget {};

TEST_P(ExactParts, AWidenedBoundIsAtLeastTheProvenOne) { KANN_DISPATCH(check_widening)(); }
TEST_P(ExactParts, RootsAreCorrectlyRounded) { KANN_DISPATCH(check_roots)(); }
TEST_P(ExactParts, AFloat64ListHoldsTheSmallestByIndex) { KANN_DISPATCH(check_float64_lists)(); }
TEST_P(ExactParts, ARowIsInTheOrderOfDistanceAndId) { KANN_DISPATCH(check_rows)(); }
TEST_P(ExactParts, AListThatFiltersKnowsWhatItLeavesOut) { KANN_DISPATCH(check_lists_that_filter)(); }

INSTANTIATE_TEST_SUITE_P(, ExactParts, testing::ValuesIn(vector_targets()), vector_target_name);

}  // namespace
}  // namespace kann::cpu
#endif
