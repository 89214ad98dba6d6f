// Every vector path gives the bytes of the plain one.
#include "cpu/vector/vector_target.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

#include "cpu/backend.hpp"
#include "float64_clouds.hpp"
#include "on_vector_target.hpp"
#include "part.hpp"
#include "problems.hpp"

namespace kann {
namespace {

class Levels : public testing::TestWithParam<cpu::VectorTarget> {
 protected:
  static void expect_plain_bytes(const test::Case& c, const SearchOptions& options) {
    const problem::Prepared prepared = c.prepare(options);
    const auto solve_at = [&](cpu::VectorTarget level) {
      const cpu::VectorTargetScope scope(level);
      return cpu::solve(prepared.problem).neighbors;
    };
    const Neighbors got = solve_at(GetParam()), want = solve_at(cpu::VectorTarget::scalar);
    ASSERT_EQ(got.ids, want.ids) << c.name << " k=" << options.k;
    ASSERT_EQ(got.distances, want.distances) << c.name << " k=" << options.k;
  }
};

TEST_P(Levels, GiveTheBytesOfThePlainPath) {
  SearchOptions options;
  options.threads = 2;
  test::Part part;
  for (const Method method : {Method::shifted_sort, Method::exact})
    for (const int d : {2, 3})
      for (const std::int64_t k : {1, 8, 11, 20, 32, 40, 300}) {
        if (method == Method::shifted_sort && k > k_max_shifted_k) continue;
        options.method = method;
        options.k = k;
        std::vector<test::Case> cases = test::cases(1023, 65, d, 31);
        if (method == Method::exact) std::ranges::move(test::float64_cases(1023, 65, d, 33), std::back_inserter(cases));
        for (const auto& c : cases)
          if (part.takes_next()) ASSERT_NO_FATAL_FAILURE(expect_plain_bytes(c, options));
      }
}

TEST_P(Levels, GiveTheBytesOfThePlainPathOnManyPoints) {
  SearchOptions options;
  options.threads = 3;
  for (const Method method : {Method::shifted_sort, Method::exact}) {
    options.method = method;
    for (const auto& c : test::cases(70000, 70000, 3, 32, test::tied_clouds()))
      ASSERT_NO_FATAL_FAILURE(expect_plain_bytes(c, options));
  }
}

std::vector<cpu::VectorTarget> all_but_scalar() {
  std::vector<cpu::VectorTarget> targets = cpu::vector_targets();
  targets.erase(targets.begin());
  return targets;
}

INSTANTIATE_TEST_SUITE_P(, Levels, testing::ValuesIn(all_but_scalar()), cpu::vector_target_name);

}  // namespace
}  // namespace kann
