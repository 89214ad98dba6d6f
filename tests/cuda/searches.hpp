// Searches on a GPU, made in every way that must not matter to the rows, and compared with another solver of the same
// problem.
#pragma once

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kann/device_index.hpp"
#include "kann/index.hpp"
#include "kann/search.hpp"

#include "brute_force.hpp"
#include "cpu/backend.hpp"
#include "cuda/backend.hpp"
#include "cuda/gpu.hpp"
#include "problems.hpp"
#include "search/run_placed.hpp"
#include "search/search.hpp"

namespace kann::test {

template <class T>
bool same_bytes(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The first row in which two results differ, with its first differing neighbour.
inline std::string first_difference(const Neighbors& got, const Neighbors& want) {
  for (std::size_t i = 0; i < std::min(got.ids.size(), want.ids.size()); ++i)
    if (got.ids[i] != want.ids[i] || std::memcmp(&got.distances[i], &want.distances[i], sizeof(float)) != 0) {
      std::ostringstream text;
      text.precision(9);
      text << "row " << static_cast<std::int64_t>(i) / want.k << " rank " << static_cast<std::int64_t>(i) % want.k
           << ": got " << got.ids[i] << " at " << got.distances[i] << ", want " << want.ids[i] << " at "
           << want.distances[i];
      return text.str();
    }
  return "none";
}

inline void expect_same(const Neighbors& got, const Neighbors& want, const std::string& what) {
  ASSERT_EQ(got.queries, want.queries) << what;
  ASSERT_TRUE(same_bytes(got.ids, want.ids)) << what << ": " << first_difference(got, want);
  ASSERT_TRUE(same_bytes(got.distances, want.distances)) << what << ": " << first_difference(got, want);
}

inline void expect_same_lists(const NeighborLists& got, const NeighborLists& want, const std::string& what) {
  ASSERT_TRUE(same_bytes(got.begins, want.begins)) << what;
  ASSERT_TRUE(same_bytes(got.ids, want.ids)) << what;
  ASSERT_TRUE(same_bytes(got.distances, want.distances)) << what;
}

inline SearchOptions by(Method method, std::int64_t k) {
  SearchOptions options;
  options.k = k;
  options.method = method;
  return options;
}
inline SearchOptions exact(std::int64_t k) { return by(Method::exact, k); }
inline SearchOptions shifted(std::int64_t k) { return by(Method::shifted_sort, k); }
inline SearchOptions paper(std::int64_t k) { return by(Method::paper, k); }

/// One search by a method for each number of neighbours.
inline std::vector<SearchOptions> each(SearchOptions (*method)(std::int64_t k), const std::vector<std::int64_t>& ks) {
  std::vector<SearchOptions> all;
  for (const std::int64_t k : ks) all.push_back(method(k));
  return all;
}

inline std::optional<PointsView> queries_of(const Case& c) {
  return c.queries ? std::optional<PointsView>(*c.queries) : std::nullopt;
}

/// Solves a problem without a GPU.
using Solver = Neighbors (*)(const problem::Problem&);

inline Neighbors cpu_rows(const problem::Problem& p) { return cpu::solve(p).neighbors; }

/// The rows of a case, in which invalid points are skipped.
inline Neighbors rows_by(Solver solver, const Case& c, SearchOptions options) {
  options.invalid = InvalidPoints::skip;
  if (detail::are_placed(options) || options.radius) {  // several problems, or more than one
    options.device.kind = DeviceKind::cpu;
    return detail::search(c.data, queries_of(c), options).neighbors;
  }
  const problem::Prepared prepared = c.prepare(options);
  return problem::restore_rows(solver(prepared.problem), prepared, (c.queries ? *c.queries : c.data).size());
}

inline Neighbors brute_force(const Case& c, std::int64_t k) { return rows_by(plain_exact, c, exact(k)); }

/// Every seventh point, and the last one, with a NaN or an infinite coordinate.
inline Points with_invalid(Points cloud) {
  const std::int64_t n = cloud.size();
  std::visit(
      [&](auto& c) {
        for (std::int64_t i = 0; i < n; ++i)
          if (i % 7 == 3 || i == n - 1) c[i * cloud.dimensions + i % cloud.dimensions] = i % 2 ? k_infinity : k_nan;
      },
      cloud.coordinates);
  return cloud;
}

/// A copy of a cloud in the memory of the device.
class CloudOnDevice {
 public:
  CloudOnDevice(Device& device, const Points& cloud) {
    std::visit(
        [&](const auto& c) {
          using T = typename std::remove_cvref_t<decltype(c)>::value_type;
          std::get<cuda::Buffer<T>>(buffers_) = device.upload(std::vector<T>(c.begin(), c.end()));
          view_ =
              PointsView(cloud.dimensions, std::span<const T>(std::get<cuda::Buffer<T>>(buffers_).data(), c.size()));
        },
        cloud.coordinates);
  }

  const PointsView& view() const { return view_; }

 private:
  std::pair<cuda::Buffer<float>, cuda::Buffer<double>> buffers_;
  PointsView view_;
};

/// Rows in the memory of a device, which begin `before` values after the beginnings of their allocations.
class RowsOnDevice {
 public:
  RowsOnDevice(Device& device, std::int64_t rows, std::int64_t k, std::int64_t before = 0)
      : rows_(rows),
        k_(k),
        before_(before),
        ids_(device.poisoned<std::int32_t>(before + rows * k)),
        distances_(device.poisoned<float>(before + rows * k)) {}

  DeviceNeighbors to() const { return {ids_.data() + before_, distances_.data() + before_}; }

  /// Blocks until the work on the stream of `device` is done.
  Neighbors download(Device& device) const {
    const auto ids = device.download(ids_);
    const auto distances = device.download(distances_);
    for (std::int64_t i = 0; i < before_; ++i) EXPECT_EQ(ids[i], static_cast<std::int32_t>(0xa5a5a5a5u));
    return {rows_, k_, {ids.begin() + before_, ids.end()}, {distances.begin() + before_, distances.end()}};
  }

 private:
  std::int64_t rows_, k_, before_;
  cuda::Buffer<std::int32_t> ids_;
  cuda::Buffer<float> distances_;
};

/// The rows of a search that is queued on the stream of `device`, for queries there or for the data themselves.
inline Neighbors rows_of(Device& device, const DeviceIndex& index, const std::optional<PointsView>& d_queries,
                         std::int64_t k, std::int64_t before = 0, std::optional<double> radius = {}) {
  const RowsOnDevice rows(device, d_queries ? d_queries->size() : index.size(), k, before);
  if (d_queries)
    index.queue_search(*d_queries, rows.to(), k, device.stream(), radius);
  else
    index.queue_search_self(rows.to(), k, device.stream(), radius);
  return rows.download(device);
}

/// The lists of `want`, in the memory of the device: found with room for all of them, or for some, which leaves out the
/// rows that end later.
inline void expect_lists(Device& device, const DeviceIndex& index, const std::optional<PointsView>& d_queries,
                         double radius, const NeighborLists& want, const std::string& what,
                         const std::optional<DeviceGroups>& groups = {}) {
  const std::int64_t total = want.neighbors(), rows = want.queries();
  const auto d_begins = device.poisoned<std::int64_t>(rows + 1);
  index.queue_lists(d_queries, {.begins = d_begins.data()}, radius, device.stream(), groups);
  ASSERT_EQ(device.download(d_begins), std::vector<std::int64_t>(want.begins.begin(), want.begins.end())) << what;
  for (const std::int64_t capacity : {total, total / 2, total - 1}) {
    if (capacity <= 0) continue;
    const auto d_ids = device.poisoned<std::int32_t>(capacity);
    const auto d_distances = device.poisoned<float>(capacity);
    const bool are_counted = capacity == total;
    const auto d_own = device.poisoned<std::int64_t>(rows + 1);
    std::int64_t* const d_to = are_counted ? d_begins.data() : d_own.data();
    index.queue_lists(d_queries, {d_to, d_ids.data(), d_distances.data(), capacity, are_counted}, radius,
                      device.stream(), groups);
    NeighborLists got{want.begins, want.ids, want.distances};
    got.ids.resize(static_cast<std::size_t>(capacity));
    got.distances.resize(got.ids.size());
    for (std::int64_t row = 0; row < rows; ++row)  // those that do not fit
      for (std::int64_t i = want.begins[row];
           want.begins[row + 1] > capacity && i < capacity && i < want.begins[row + 1]; ++i)
        std::memset(&got.ids[i], 0xa5, sizeof(std::int32_t)), std::memset(&got.distances[i], 0xa5, sizeof(float));
    const auto begins = device.download(d_to, rows + 1);
    const auto ids = device.download(d_ids);
    const auto distances = device.download(d_distances);
    ASSERT_NO_FATAL_FAILURE(expect_same_lists(
        {{begins.begin(), begins.end()}, {ids.begin(), ids.end()}, {distances.begin(), distances.end()}}, got,
        what + " room for " + std::to_string(capacity)));
  }
}

/// The same for an index of data in host memory.
inline Neighbors rows_of(Device& device, const Index& index, const PointsView& d_queries, std::int64_t k,
                         std::int64_t before = 0, std::optional<double> radius = {}) {
  const RowsOnDevice rows(device, d_queries.size(), k, before);
  index.queue_search(d_queries, rows.to(), {k, device.stream(), 0, radius});
  return rows.download(device);
}

/// The rows that come in parts of at most `at_once`, put together: those of queries or, without, of `count` of the data
/// from number `first` on.
inline Neighbors in_parts(const Index& index, const std::optional<PointsView>& queries, std::int64_t first,
                          std::int64_t count, const SearchOptions& options, std::int64_t at_once) {
  Neighbors all;
  all.k = options.k;
  const auto take = [&](std::int64_t begin, Neighbors& rows) {
    EXPECT_EQ(begin, all.queries);
    EXPECT_LE(rows.queries, at_once);
    all.queries += rows.queries;
    all.ids.insert(all.ids.end(), rows.ids.begin(), rows.ids.end());
    all.distances.insert(all.distances.end(), rows.distances.begin(), rows.distances.end());
    rows.ids[0] = 77;  // it may be changed
  };
  EXPECT_EQ(detail::search_in_parts(index, queries, first, count, options, {at_once, take}).neighbors.queries, 0);
  return all;
}

/// Data that are searched many times: by an index of a copy in host memory, and by one of a copy on the device.
class SearchedData {
 public:
  explicit SearchedData(const Points& data) : data_(data) {
    EXPECT_EQ(device_index_.size(), data.size());
    EXPECT_EQ(device_index_.dimensions(), data.dimensions);
  }

  bool are(const Points& data) const {
    return data.dimensions == data_.dimensions && data.coordinates == data_.coordinates;
  }

  /// Makes one search of these data in every way, with the rows of `solver`.
  void expect_rows(Solver solver, const Case& c, SearchOptions options) {
    options.device.kind = DeviceKind::cuda;
    options.invalid = InvalidPoints::skip;
    const std::optional<PointsView> queries = queries_of(c);
    const std::int64_t m = (queries ? *queries : PointsView(data_)).size(), k = options.k, turn = searches_++;
    std::optional<Neighbors> want;
    const auto expect = [&](const char* way, auto rows) {
      if (thinned_out()) return;
      if (!want) want = rows_by(solver, c, options);
      expect_same(rows(), *want, c.name + " k=" + std::to_string(k) + " " + way);
    };

    expect("by an index", [&] {
      SearchResult found = detail::search(index_, queries, options);
      EXPECT_EQ(found.report.device.kind, DeviceKind::cuda);
      return std::move(found.neighbors);
    });
    if (detail::are_placed(options)) return;
    const problem::Prepared prepared = c.prepare(options);
    if (!options.radius) {
      expect("without an index", [&] {
        Neighbors made;  // of any size before
        const std::int64_t sizes[] = {0, 7, m * k, 2 * m * k};
        made.ids.assign(static_cast<std::size_t>(sizes[turn % 4]), 99);
        made.distances.assign(made.ids.size(), 99);
        return problem::restore_rows(cuda::solve(prepared.problem, 0, std::move(made)).neighbors, prepared, m);
      });
      if (prepared.has_final_rows())
        expect("in parts", [&] { return in_parts(index_, queries, 0, queries ? 0 : m, options, 1 + m / 3); });
    }
    if (options.method != Method::exact || options.include_self) return;
    const std::int64_t before = turn % 8;  // rows may begin at any address
    std::optional<CloudOnDevice> d_queries;
    if (queries) d_queries.emplace(device_, *c.queries);
    if (queries)
      expect("with queries on the device",
             [&] { return rows_of(device_, index_, d_queries->view(), k, before, options.radius); });
    expect("with data on the device", [&] {
      const auto asked = queries ? std::optional<PointsView>(d_queries->view()) : std::nullopt;
      return rows_of(device_, device_index_, asked, k, before, options.radius);
    });
  }

 private:
  Points data_;
  Index index_{data_, {.invalid = InvalidPoints::skip}};
  Device device_;
  CloudOnDevice d_data_{device_, data_};
  DeviceIndex device_index_{d_data_.view(), {.stream = device_.stream(), .invalid = InvalidPoints::skip}};
  std::int64_t searches_ = 0;
};

/// Makes all searches of all cases in every way. Cases of the same data that follow each other share their indexes.
inline void expect_rows(Solver solver, const std::vector<Case>& cases, const std::vector<SearchOptions>& searches) {
  std::optional<SearchedData> data;
  for (const Case& c : cases) {
    if (!data || !data->are(c.data)) data.emplace(c.data);
    for (const SearchOptions& options : searches) {
      data->expect_rows(solver, c, options);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace kann::test
