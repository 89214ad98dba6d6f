// What a search says of its progress.
#include <gtest/gtest.h>
#include <string_view>
#include <thread>
#include <vector>

#include "kann/search.hpp"

#include "clouds.hpp"
#include "search/cpu_search.hpp"

namespace kann {
namespace {

/// Fractions that never fall, from the caller's thread, many more than there are steps: both methods search in chunks
/// of at most 1,024 queries. On one thread, all are told.
TEST(SearchProgress, AscendsWithTheQueries) {
  const Points data = test::to_points(test::uniform(20000, 3, 1), 3);
  const Points queries = test::to_points(test::uniform(30000, 3, 2), 3);
  for (const Method method : {Method::shifted_sort, Method::exact})
    for (const int threads : {1, 3}) {
      SearchOptions options = test::cpu_options(8);
      options.method = method;
      options.threads = threads;
      std::vector<double> fractions;
      options.on_progress = [&, caller = std::this_thread::get_id()](std::string_view, double fraction) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        fractions.push_back(fraction);
      };
      search(data, queries, options);
      ASSERT_FALSE(fractions.empty());
      EXPECT_GE(fractions.front(), 0);
      for (std::size_t i = 1; i < fractions.size(); ++i) EXPECT_GE(fractions[i], fractions[i - 1]);
      EXPECT_EQ(fractions.back(), 1);
      if (threads == 1) {
        EXPECT_GE(fractions.size(), 30000u / 1024);
      }
    }
}

}  // namespace
}  // namespace kann
