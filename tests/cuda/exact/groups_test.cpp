// Searches in groups whose data, queries and rows are on a GPU, against the same ones on the CPU, which makes a search
// for each group.
#include "kann/groups.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kann/device_index.hpp"

#include "cuda/searches.hpp"
#include "float64_clouds.hpp"

namespace kann::test {
namespace {

class CudaGroups : public GpuTest {};

/// The group of point i of n.
struct Labels {
  std::string name;
  std::function<std::int32_t(std::int64_t, std::int64_t)> of;
};

/// Groups that follow each other or not, of one point, of a few and of many, and the numbers at both ends.
std::vector<Labels> labels() {
  using Limits = std::numeric_limits<std::int32_t>;
  return {{"one group", [](auto, auto) { return 0; }},
          {"clouds of a batch", [](std::int64_t i, std::int64_t n) { return static_cast<std::int32_t>(7 * i / n); }},
          {"molecules", [](std::int64_t i, std::int64_t) { return static_cast<std::int32_t>(i / 19); }},
          {"mixed",
           [](std::int64_t i, std::int64_t) {
             return static_cast<std::int32_t>(i % 3 == 0 ? -5 : i % 7 == 0 ? 1000 + i : i % 11);
           }},
          {"limits", [](std::int64_t i, std::int64_t) { return i % 2   ? Limits::min()
                                                               : i % 3 ? Limits::max()
                                                                       : -1; }}};
}

/// Numbers on the device, of int32 or of int64, and, as those below zero are no group there, others on the host.
struct PointLabels {
  PointLabels(Device& device, const Labels& labels, std::int64_t count, bool wide) : are_wide(wide) {
    std::vector<std::int32_t> narrow;
    std::vector<std::int64_t> wide;
    for (std::int64_t i = 0; i < count; ++i) {
      narrow.push_back(labels.of(i, count));
      wide.push_back(narrow.back());
      numbers.push_back(std::int64_t{narrow.back()} - std::numeric_limits<std::int32_t>::min());
    }
    d_narrow = device.upload(narrow);
    d_wide = device.upload(wide);
  }

  DeviceGroups there() const {
    const std::size_t count = numbers.size();
    if (are_wide) return std::span<const std::int64_t>(d_wide.data(), count);
    return std::span<const std::int32_t>(d_narrow.data(), count);
  }

  bool are_wide;
  std::vector<std::int64_t> numbers;
  cuda::Buffer<std::int32_t> d_narrow;
  cuda::Buffer<std::int64_t> d_wide;
};

/// Rows and lists of a case, whose data may have invalid points, in two of the groups: the next two for the next case.
void expect_rows_of_cpu(const Case& c, const std::vector<std::int64_t>& ks, const std::vector<double>& radii,
                        bool has_lists = true) {
  Device device;
  const CloudOnDevice d_data(device, c.data);
  std::optional<CloudOnDevice> d_queries;
  if (c.queries) d_queries.emplace(device, *c.queries);
  const std::int64_t n = c.data.size(), m = c.queries ? c.queries->size() : n;
  const auto queries = c.queries ? std::optional<PointsView>(*c.queries) : std::nullopt;
  static std::size_t turn = 0;
  const std::vector<Labels> all = labels();
  for (int i = 0; i < 2; ++i) {
    const Labels& of_points = all[turn++ % all.size()];
    if (thinned_out()) continue;
    const bool are_wide = turn % 3 == 0;
    const PointLabels of_data(device, of_points, n, are_wide), of_queries(device, of_points, m, !are_wide);
    const DeviceIndex index(d_data.view(),
                            {.stream = device.stream(), .invalid = InvalidPoints::skip, .groups = of_data.there()});
    const auto there = c.queries ? std::optional(of_queries.there()) : std::nullopt;
    const Groups groups{of_data.numbers, c.queries ? of_queries.numbers : std::span<const std::int64_t>()};
    SearchOptions options;
    options.device.kind = DeviceKind::cpu;
    options.invalid = InvalidPoints::skip;
    for (const double radius : radii) {
      options.radius = radius;
      const std::string what = c.name + ", " + of_points.name + " R=" + std::to_string(radius);
      for (const std::int64_t k : ks) {
        options.k = k;
        const RowsOnDevice rows(device, m, k);
        d_queries ? index.queue_search(d_queries->view(), rows.to(), k, device.stream(), radius, there)
                  : index.queue_search_self(rows.to(), k, device.stream(), radius);
        ASSERT_NO_FATAL_FAILURE(expect_same(rows.download(device),
                                            search_groups(c.data, queries, groups, options).neighbors,
                                            what + " k=" + std::to_string(k)));
      }
      if (has_lists)
        ASSERT_NO_FATAL_FAILURE(expect_lists(device, index, d_queries ? std::optional(d_queries->view()) : std::nullopt,
                                             radius, search_radius_groups(c.data, queries, groups, options).lists, what,
                                             there));
    }
  }
}

TEST_F(CudaGroups, HaveTheRowsOfTheCpu) {
  for (const int d : {2, 3}) {
    for (const std::int64_t n : {0, 1, 2, 9, 65, 1000})
      for (const Case& c : cases(n, n / 2 + 3, d, 81))
        ASSERT_NO_FATAL_FAILURE(expect_rows_of_cpu(c, {1, 8, 9, 17, 32, 33, 64}, {0, .1}));
    for (const Case& c : float64_cases(700, 300, d, 82))
      ASSERT_NO_FATAL_FAILURE(expect_rows_of_cpu(c, {1, 8, 9, 17, 33}, {.1, 1e300}));
  }
}

TEST_F(CudaGroups, LeaveOutInvalidPoints) {
  for (Case c : cases(1000, 300, 3, 83)) {
    c.data = with_invalid(c.data);
    if (c.queries) c.queries = with_invalid(*c.queries);
    ASSERT_NO_FATAL_FAILURE(expect_rows_of_cpu(c, {1, 32, 64}, {.1}));
  }
}

/// So many that queries are searched for together, with lists of all sizes.
TEST_F(CudaGroups, OfManyPointsHaveTheRowsOfTheCpu) {
  for (const std::int64_t m : {8193, 20000})
    for (const Case& c : cases(20000, m, 3, 84))
      ASSERT_NO_FATAL_FAILURE(expect_rows_of_cpu(c, {1, 8, 16, 32}, {.02}, false));
  for (const Case& c : cases(20000, 20000, 3, 85, {{"uniform", uniform}, {"surface", surface}, {"huge", huge}}))
    ASSERT_NO_FATAL_FAILURE(expect_rows_of_cpu(c, {}, {.02}));
}

}  // namespace
}  // namespace kann::test
