// A shifted sort that takes its queries from tile to tile has the rows, and the doubtful queries, of one that has all
// orders in memory.
#include "tiles/shifts/window_search.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <optional>

#include "problems.hpp"

namespace kann::tiles {
namespace {

using namespace test;

/// A search in tiles of one order after the other.
template <class T, int D>
class TiledSearch {
 public:
  TiledSearch(const problem::Prepared& prepared, std::size_t tiles, std::uint64_t seed, std::optional<double> radius)
      : prepared_(prepared), p_(prepared.problem), tiles_(tiles), random_(seed) {
    if (radius) within_.emplace(*radius);
    const auto k = static_cast<std::size_t>(p_.k), m = static_cast<std::size_t>(p_.query_count);
    size_ = static_cast<std::size_t>(p_.shifted_list_size());
    sq_dists_.resize(m * size_);
    points_.resize(m * size_);
    for (std::int64_t i = 0; i < p_.query_count; ++i) {
      ShiftQuery<T, D>& q = queries_.emplace_back();
      q.row = i;
      copy(p_.queries, p_.given_queries, i, q);
      list(i).clear();
    }
    for (int shift = 0; shift < p_.shifts; ++shift) search(shift);
    ids_.resize(m * k);
    distances_.resize(m * k);
    for (std::size_t i = 0; i < m; ++i)
      write_row(p_, list(i), std::span(ids_).subspan(i * k, k), std::span(distances_).subspan(i * k, k));
  }

  bool doubtful(std::size_t query) const { return is_doubtful<T, D>(p_, queries_[query], list(query)); }
  std::int64_t id(std::size_t at) const { return ids_[at]; }
  float distance(std::size_t at) const { return distances_[at]; }

 private:
  NearestSeen list(std::size_t query) const {
    return {std::span(sq_dists_).subspan(query * size_, size_), std::span(points_).subspan(query * size_, size_)};
  }

  template <class Point>
  static void copy(const float* in_frame, const double* given, std::int64_t i, Point& to) {
    for (int a = 0; a < D; ++a) {
      to.in_frame[a] = in_frame[i * D + a];
      to.given[a] = static_cast<T>(given ? given[i * D + a] : in_frame[i * D + a]);
    }
  }

  void search(int shift) {
    std::vector<ShiftPoint<T, D>> all(static_cast<std::size_t>(p_.data_count));
    for (std::int64_t i = 0; i < p_.data_count; ++i) {
      ShiftPoint<T, D>& point = all[static_cast<std::size_t>(i)];
      copy(p_.data, p_.given_data, i, point);
      point.key = {shift_key<D>(p_, shift, point.in_frame), i};
      if (shift > 0) point.place = first_place_[i];
    }
    std::vector<OrderKey> sample;
    for (const auto& point : all)
      if (random_.below(2) == 0) sample.push_back(point.key);
    const Splitters splitters(sample, tiles_);
    std::ranges::sort(all, {}, &ShiftPoint<T, D>::key);
    std::vector<std::int64_t> begin(tiles_ + 1);  // of each tile
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (shift == 0) first_place_[all[i].key.row] = static_cast<std::int64_t>(i);
      ++begin[splitters.of_point(all[i].key) + 1];
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::map<std::size_t, std::vector<std::size_t>> queries_in;
    for (std::size_t i = 0; i < queries_.size(); ++i)
      queries_in[splitters.of_query(shift_key<D>(p_, shift, queries_[i].in_frame))].push_back(i);
    for (const auto& [tile, queries] : queries_in) {
      const std::int64_t n = p_.data_count;
      const std::int64_t from = geometry::window_around(begin[tile], p_.window, n).begin;
      const std::int64_t to = geometry::window_around(begin[tile + 1], p_.window, n).end;
      const ShiftTile<T, D> held{from, {all.begin() + from, all.begin() + to}};
      for (const std::size_t i : queries) search_window(p_, shift, held, within_, queries_[i], list(i));
    }
  }

  const problem::Prepared& prepared_;
  const problem::Problem& p_;
  std::size_t tiles_;
  Random random_;
  std::optional<geometry::WithinRadius> within_;
  std::size_t size_;
  std::vector<ShiftQuery<T, D>> queries_;
  mutable std::vector<float> sq_dists_;
  mutable std::vector<SeenPoint> points_;
  std::map<std::int64_t, std::int64_t> first_place_;
  std::vector<std::int64_t> ids_;
  std::vector<float> distances_;
};

/// Returns how many queries are doubtful.
template <class T, int D>
std::int64_t expect_rows_in_memory(const Case& c, const SearchOptions& options, std::size_t tiles) {
  const auto answer = [&](Method method) {
    SearchOptions asked;
    asked.k = options.k;
    asked.device.kind = DeviceKind::cpu;
    asked.radius = options.radius;
    if (method == Method::shifted_sort) asked = options;
    asked.method = method;
    return c.queries ? kann::search(c.data, *c.queries, asked) : search_self(c.data, asked);
  };
  const SearchResult want = answer(Method::shifted_sort), exact = answer(Method::exact);
  const problem::Prepared prepared = c.prepare(options);
  const TiledSearch<T, D> got(prepared, tiles, tiles, options.radius);
  std::int64_t doubtful = 0;
  const auto k = static_cast<std::size_t>(options.k);
  for (std::size_t q = 0; q < static_cast<std::size_t>(want.neighbors.queries); ++q) {
    const bool is_exact = got.doubtful(q);
    doubtful += is_exact;
    for (std::size_t at = q * k; at < (q + 1) * k; ++at) {
      const std::int64_t id = is_exact ? exact.neighbors.ids[at] : got.id(at);
      const float distance = is_exact ? exact.neighbors.distances[at] : got.distance(at);
      EXPECT_EQ(id, want.neighbors.ids[at]) << "query " << q << (is_exact ? ", doubtful" : "");
      EXPECT_EQ(std::memcmp(&distance, &want.neighbors.distances[at], sizeof distance), 0) << "query " << q;
      if (testing::Test::HasFailure()) return doubtful;
    }
  }
  EXPECT_EQ(doubtful, want.report.doubtful);
  return doubtful;
}

SearchOptions shifted(std::int64_t k) {
  SearchOptions options;
  options.k = k;
  options.method = Method::shifted_sort;
  options.device.kind = DeviceKind::cpu;
  return options;
}

template <class T, int D>
void expect_rows_of(const std::vector<Case>& all, const SearchOptions& options) {
  std::int64_t doubtful = 0, queries = 0;
  for (const Case& c : all)
    for (const std::size_t tiles : {1u, 3u, 60u}) {
      SCOPED_TRACE(c.name + ", k " + std::to_string(options.k) + ", tiles " + std::to_string(tiles));
      doubtful += expect_rows_in_memory<T, D>(c, options, tiles);
      queries += c.queries ? c.queries->size() : c.data.size();
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  if (options.window) {
    EXPECT_EQ(doubtful, 0);
  } else if (queries > 10'000) {  // rows of both kinds
    EXPECT_GT(doubtful, queries / 20);
    EXPECT_LT(doubtful, queries * 9 / 10);
  }
}

TEST(WindowSearch, HasTheRowsOfASearchInMemory) {
  for (const std::int64_t k : {1, 5, 8, 13}) {
    expect_rows_of<float, 2>(cases(700, 150, 2, 11), shifted(k));
    expect_rows_of<float, 3>(cases(700, 150, 3, 12), shifted(k));
  }
}

TEST(WindowSearch, TakesAnyShiftsWindowsAndBits) {
  for (const int shifts : {1, 3, 5})
    for (const std::int64_t window : {1, 2, 40, 1000})
      for (const int bits : {1, 7, 60}) {
        SearchOptions options = shifted(4);
        options.shifts = shifts;
        options.window = window;
        options.bits = bits;
        options.include_self = bits == 7;
        expect_rows_of<float, 3>(cases(300, 40, 3, 13, tied_clouds()), options);
      }
}

TEST(WindowSearch, LeavesOutWhatIsBeyondTheRadius) {
  for (const double radius : {0., .01, .1, 1., 1e20})
    for (const std::int64_t window : {0, 3}) {
      SearchOptions options = shifted(6);
      options.radius = radius;
      if (window > 0) options.window = window;
      expect_rows_of<float, 2>(cases(400, 60, 2, 18), options);
      expect_rows_of<float, 3>(cases(400, 60, 3, 19), options);
    }
}

TEST(WindowSearch, TakesAsManyShiftsAsAskedFor) {
  for (const int shifts : {1, 5, 7}) {
    SearchOptions options = shifted(6);
    options.shifts = shifts;
    expect_rows_of<float, 3>(cases(500, 60, 3, 14), options);
  }
}

TEST(WindowSearch, TakesAnyNumbersOfPoints) {
  for (const std::int64_t n : {0, 1, 2, 7, 9, 25, 33})
    for (const std::int64_t m : {1, 17})
      for (const std::int64_t k : {1, 8, 40}) expect_rows_of<float, 3>(cases(n, m, 3, 15, tied_clouds()), shifted(k));
}

TEST(WindowSearch, TakesFloat64) {
  std::vector<Case> all = cases(500, 90, 3, 16);
  for (Case& c : all) {
    const auto widen = [](Points& points, double by) {
      Array<double> wide;
      for (const float x : std::get<Array<float>>(points.coordinates)) wide.push_back(by + x / 3.0);
      points.coordinates = wide;
    };
    widen(c.data, 1e6);
    if (c.queries) widen(*c.queries, 1e6);
  }
  expect_rows_of<double, 3>(all, shifted(7));
  std::vector<Case> mixed = cases(500, 90, 2, 17);
  for (Case& c : mixed)
    if (c.queries) {
      Array<double> wide;
      for (const float x : std::get<Array<float>>(c.queries->coordinates)) wide.push_back(x + 1e-10);
      c.queries->coordinates = wide;
    }
  expect_rows_of<double, 2>(mixed, shifted(9));
}

}  // namespace
}  // namespace kann::tiles
