// Arrays that another thread changes while they are searched: the answer means nothing, but the search ends, and its
// ids are those of data points. The changes are made in on_progress, where a search always is at the same place.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "kann/error.hpp"
#include "kann/index.hpp"
#include "kann/search.hpp"

#include "clouds.hpp"
#include "part.hpp"
#include "problem/prepared_data.hpp"
#include "search/cpu_search.hpp"

namespace kann {
namespace {

constexpr double k_not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double k_infinite = std::numeric_limits<double>::infinity();

/// Every `step`-th coordinate becomes `value`.
struct Change {
  double value;
  std::size_t step;

  void operator()(Points& points) const {
    std::visit(
        [this](auto& c) {
          using Real = typename std::decay_t<decltype(c)>::value_type;
          for (std::size_t i = 0; i < c.size(); i += step) c[i] = static_cast<Real>(value);
        },
        points.coordinates);
  }
};

/// The searches that have code of their own.
std::vector<SearchOptions> searches(int dimensions) {
  std::vector<SearchOptions> all;
  for (const std::int64_t k : {1, 5, 12, 30, 50}) {
    all.push_back(test::cpu_options(k));
    all.back().method = Method::exact;
    if (k <= k_max_shifted_k) {
      all.push_back(test::cpu_options(k));
      all.back().method = Method::shifted_sort;
    }
  }
  all.push_back(test::cpu_options(8));
  all.back().radius = 0.1;
  all.push_back(test::cpu_options(8));
  all.back().periodic = dimensions == 3 ? std::vector{1.0, 0.0, 1.0} : std::vector{1.0, 1.0};
  all.push_back(test::cpu_options(8));
  all.back().invalid = InvalidPoints::skip;
  for (SearchOptions& options : all) options.threads = 1;
  return all;
}

/// Searches, makes the change when the progress is reported for the `at`-th time, and checks the ids.
void search_and_change(Points data, std::optional<Points> queries, SearchOptions options, const Change& change, int at,
                       bool in_index) {
  options.on_progress = [&, count = 0](std::string_view, double) mutable {
    if (count++ != at) return;
    change(data);
    if (queries) change(*queries);
  };
  SearchResult result;
  try {
    if (in_index) {
      const Index index(data, {.invalid = options.invalid});
      result = queries ? index.search(*queries, options) : index.search_self(options);
    } else {
      result = queries ? search(data, *queries, options) : search_self(data, options);
    }
  } catch (const Error& error) {  // the searches by images see the NaN
    EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.what();
    return;
  }
  for (const std::int32_t id : result.neighbors.ids) {
    ASSERT_GE(id, k_missing_id);
    ASSERT_LT(id, static_cast<std::int32_t>(data.size()));
  }
}

TEST(ChangedArrays, GiveAnyAnswer) {
  test::Part part;
  for (const int d : {2, 3})
    for (const bool is_double : {false, true}) {
      const auto cloud = [&](std::int64_t n, std::uint64_t seed) {
        const Points points = test::to_points(test::uniform(n, d, seed), d);
        return is_double ? test::in_double(points, 1.0 / 3, 0.1) : points;
      };
      for (const SearchOptions& options : searches(d))
        for (const Change& change : {Change{k_not_a_number, 1}, Change{k_not_a_number, 7}, Change{k_infinite, 5},
                                     Change{-k_infinite, 1}, Change{-1e30, 3}})
          for (const int at : {0, 1, 2, 4}) {
            if (!part.takes_next()) continue;
            SCOPED_TRACE(testing::Message() << d << "-D, k " << options.k << ", to " << change.value << " at " << at);
            search_and_change(cloud(2500, 1), cloud(700, 2), options, change, at, at % 2 == 1);
            search_and_change(cloud(2500, 1), std::nullopt, options, change, at, at % 2 == 0);
          }
    }
}

/// An index reads its data again when it first makes an order of them.
TEST(ChangedArrays, OfAnIndexGiveAnyAnswer) {
  for (const double value : {k_not_a_number, k_infinite, 1e30})
    for (const bool is_double : {false, true})
      for (const std::int64_t k : {1, 8, 40}) {
        Points data = test::to_points(test::uniform(5000, 3, 1), 3);
        if (is_double) data = test::in_double(data, 1.0 / 3, 0.1);
        const Points queries = data;
        const Index index(data);
        Change{value, 2}(data);
        for (const std::int32_t id : index.search(queries, test::cpu_options(k)).neighbors.ids) {
          ASSERT_GE(id, k_missing_id);
          ASSERT_LT(id, 5000);
        }
      }
}

/// What GPUs need of the data is found later, too.
TEST(ChangedArrays, HaveAnyUnevenness) {
  for (const double value : {k_not_a_number, k_infinite, -1e300}) {
    Points data = test::in_double(test::to_points(test::uniform(5000, 3, 1), 3), 1.0 / 3, 0.1);
    const problem::PreparedData prepared(data, "data", InvalidPoints::error, 1);
    Change{value, 5}(data);
    EXPECT_GE(prepared.unevenness(), 0);
  }
}

}  // namespace
}  // namespace kann
