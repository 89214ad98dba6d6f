// The descents through a tree of boxes, on each vector target: which buckets they visit, in which order, and how many.
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "clouds.hpp"
#include "cpu/nearest/box_descent-inl.hpp"
#include "cpu/nearest/boxes.hpp"
#include "cpu/nearest/nearest_place-inl.hpp"
#include "cpu/nearest/query_bounds-inl.hpp"
#include "cpu/on_vector_target.hpp"
#include "cpu/vector/highway.hpp"
#include "cpu/vector/names.hpp"

HWY_BEFORE_NAMESPACE();
namespace kann::cpu::HWY_NAMESPACE {

/// The points of a cloud sorted along x, and boxes over them, in both types.
struct SortedCloud {
  explicit SortedCloud(const test::Coordinates& c) {
    const auto n = static_cast<std::int64_t>(c.size() / 3);
    std::vector<std::uint32_t> rows(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) rows[i] = static_cast<std::uint32_t>(i);
    std::stable_sort(rows.begin(), rows.end(), [&](auto p, auto q) { return c[3 * p] < c[3 * q]; });
    points.resize(n);
    doubles.resize(n);
    for (std::int64_t i = 0; i < n; ++i) {
      points.ids[i] = rows[i];
      for (int a = 0; a < 3; ++a) doubles.axes[a][i] = points.axes[a][i] = c[3 * rows[i] + a];
    }
    levels = build_boxes(points.view(), 1);
    double_levels = build_boxes(doubles.view(points), 1);
  }

  /// The squared distance between a point and a bucket's box, or one of its points.
  double sq_gap(const double* query, std::int64_t bucket) const {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
      const double gap =
          std::max({levels[0].lo[a][bucket] - query[a], query[a] - static_cast<double>(levels[0].hi[a][bucket]), 0.0});
      sum += gap * gap;
    }
    return sum;
  }
  double sq_dist(const double* query, std::int64_t place) const {
    double sum = 0;
    for (int a = 0; a < 3; ++a) sum += (points.axes[a][place] - query[a]) * (points.axes[a][place] - query[a]);
    return sum;
  }

  Placed<3> points;
  PlacedDoubles<3> doubles;
  std::vector<BoxLevel<3>> levels;
  std::vector<BoxLevel<3, double>> double_levels;
};

template <class Bounds>
Bounds bounds_around(const double* query, double bound) {
  using Real = typename Bounds::Real;
  const hn::ScalableTag<Real> d;
  Bounds bounds;
  for (int a = 0; a < 3; ++a) bounds.lo[a] = bounds.hi[a] = hn::Set(d, static_cast<Real>(query[a]));
  bounds.bound = hn::Set(d, static_cast<Real>(bound));
  constexpr std::int32_t any = std::numeric_limits<std::int32_t>::max();
  if constexpr (std::is_same_v<Bounds, TiedBounds<3>>) bounds.last_id = hn::Set(Signed(), any);
  if constexpr (std::is_same_v<Bounds, Float64Bounds<3>>) bounds.last_id = hn::Set(Longs(), any);
  return bounds;
}

/// Both descents visit the buckets within fixed bounds, each once; and stop where they are told to. By groups, they
/// also stop where a level has too many.
template <class Bounds, class Levels>
void check_visits(const SortedCloud& cloud, const Levels& levels, const double* query, double reach) {
  const Bounds bounds = bounds_around<Bounds>(query, reach * reach);
  std::vector<std::int64_t> want, got, nearest_first;
  for (std::int64_t bucket = 0; bucket < levels[0].count; ++bucket) {
    const double gap = std::sqrt(cloud.sq_gap(query, bucket));
    if (std::abs(gap - reach) <= 1e-5 * reach) return;  // rounding decides
    if (gap < reach) want.push_back(bucket);
  }
  std::size_t groups = 0;
  const bool has_all = for_each_near_group(levels, bounds, [&](std::int64_t begin, std::uint32_t near) {
    for (; near != 0; near &= near - 1) got.push_back(begin + std::countr_zero(near));
    return ++groups, true;
  });
  if (has_all) {
    ASSERT_EQ(got, want);
  } else {
    ASSERT_GT(levels[0].count, k_max_groups * k_group);
  }
  EXPECT_TRUE(descend_nearest_first(levels, bounds,
                                    [&](std::int64_t bucket) { return nearest_first.push_back(bucket), true; }));
  std::sort(nearest_first.begin(), nearest_first.end());
  ASSERT_EQ(nearest_first, want);
  std::size_t visits = 0;
  const auto stop = [&](std::int64_t) { return ++visits < 2; };
  if (has_all) {
    const auto stop_at_second = [&](std::int64_t, std::uint32_t) { return ++visits < 2; };
    EXPECT_EQ(for_each_near_group(levels, bounds, stop_at_second), groups < 2);
    EXPECT_EQ(visits, std::min<std::size_t>(groups, 2));
  }
  visits = 0;
  EXPECT_EQ(descend_nearest_first(levels, bounds, stop), want.size() < 2);
  EXPECT_EQ(visits, std::min<std::size_t>(want.size(), 2));
}

void check_all_visits() {
  test::Random random(31);
  for (const std::int64_t n : {0, 1, 16, 17, 255, 256, 257, 4097})
    for (const auto make : {test::uniform, test::clusters, test::plane, test::identical}) {
      const SortedCloud cloud(make(n, 3, 32));
      for (int round = 0; round < 8; ++round) {
        const double query[3] = {static_cast<float>(3 * random.uniform() - 1), static_cast<float>(random.uniform()),
                                 0.5};
        const double reach = 2 * random.uniform() * random.uniform();
        ASSERT_NO_FATAL_FAILURE(check_visits<FilterBounds<3>>(cloud, cloud.levels, query, reach));
        ASSERT_NO_FATAL_FAILURE(check_visits<TiedBounds<3>>(cloud, cloud.levels, query, reach));
        ASSERT_NO_FATAL_FAILURE(check_visits<Float64Bounds<3>>(cloud, cloud.double_levels, query, reach));
      }
    }
}

/// A search for the nearest point that begins without a bound: how many buckets it visits, of which the first level has
/// `levels[0].count`.
template <class Bounds, class Levels>
std::int64_t visits_of_search(const SortedCloud& cloud, const Levels& levels, const double* query) {
  using Real = typename Bounds::Real;
  double least = std::numeric_limits<Real>::max();
  Bounds bounds = bounds_around<Bounds>(query, least);
  std::int64_t visits = 0;
  descend_nearest_first(levels, bounds, [&](std::int64_t bucket) HWY_ATTR {
    ++visits;
    for (std::int64_t i = bucket * k_group; i < std::min((bucket + 1) * k_group, cloud.points.count); ++i)
      least = std::min(least, cloud.sq_dist(query, i));
    bounds.bound = hn::Set(hn::ScalableTag<Real>(), static_cast<Real>(least));
    return true;
  });
  double want = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < cloud.points.count; ++i) want = std::min(want, cloud.sq_dist(query, i));
  EXPECT_EQ(least, want);
  return visits;
}

/// In the order of their indices, they would be half of all, as long as each is nearer than those before.
void check_visits_from_far() {
  constexpr std::int64_t n = 20000;
  test::Random random(33);
  for (const auto make : {test::line, test::plane, test::uniform}) {
    const SortedCloud cloud(make(n, 3, 34));
    for (int round = 0; round < 20; ++round) {
      const double t = 0.1 + 0.8 * random.uniform();
      const double beside[3] = {t + 8, 2 * t - 4, 3 * t};  // at a right angle to the line
      const double above[3] = {t, random.uniform(), 2};
      const double* const query = make == test::line ? beside : above;
      EXPECT_LE(visits_of_search<Float64Bounds<3>>(cloud, cloud.double_levels, query), n / k_group / 10);
      EXPECT_LE(visits_of_search<Float64Bounds<3>>(cloud, cloud.levels, query), n / k_group / 10);
    }
  }
}

/// The place is that of a point at most √2 times as far as the nearest.
void check_nearest_places() {
  test::Random random(35);
  for (const std::int64_t n : {1, 2, 15, 16, 17, 300, 5000})
    for (const auto& kind : test::all_clouds()) {
      const SortedCloud cloud(kind.make(n, 3, 36));
      for (int round = 0; round < 5; ++round) {
        const double query[3] = {10 * random.uniform(), static_cast<float>(random.uniform()), -3};
        const auto bounds = bounds_around<FilterBounds<3>>(query, std::numeric_limits<float>::max());
        const std::int64_t place = nearest_place(cloud.levels, cloud.points.view(), bounds);
        ASSERT_GE(place, 0) << kind.name;
        ASSERT_LT(place, n) << kind.name;
        double least = std::numeric_limits<double>::infinity();
        for (std::int64_t i = 0; i < n; ++i) least = std::min(least, cloud.sq_dist(query, i));
        if (kind.make != test::huge) {  // whose squares overflow in float32
          EXPECT_LE(cloud.sq_dist(query, place), 2 * least + 1e-6) << kind.name << " n=" << n;
        }
        const auto wide = bounds_around<Float64Bounds<3>>(query, std::numeric_limits<double>::infinity());
        const std::int64_t same = nearest_place(cloud.double_levels, cloud.doubles.view(cloud.points), wide);
        ASSERT_GE(same, 0) << kind.name;
        ASSERT_LT(same, n) << kind.name;
        EXPECT_LE(cloud.sq_dist(query, same), 2 * least + 1e-6) << kind.name << " n=" << n;
      }
    }
}

}  // namespace kann::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if KANN_ONCE
namespace kann::cpu {

KANN_ON_EACH_TARGET(void check_all_visits(); void check_visits_from_far(); void check_nearest_places();)

namespace {

class BoxDescent : public OnVectorTarget {};

TEST_P(BoxDescent, VisitsTheBucketsWithinTheBounds) { KANN_DISPATCH(check_all_visits)(); }
TEST_P(BoxDescent, FromFarVisitsFewBucketsNearestFirst) { KANN_DISPATCH(check_visits_from_far)(); }
TEST_P(BoxDescent, FindsAPlaceNearAQuery) { KANN_DISPATCH(check_nearest_places)(); }

INSTANTIATE_TEST_SUITE_P(, BoxDescent, testing::ValuesIn(vector_targets()), vector_target_name);

}  // namespace
}  // namespace kann::cpu
#endif
