// Which options a search refuses, and which parameters it has where options leave them open.
#include "problem/parameters.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "refusal.hpp"

namespace kann::problem {
namespace {

SearchOptions options_of(std::int64_t k, Method method = Method::exact, std::optional<int> shifts = {},
                         std::optional<std::int64_t> window = {}) {
  SearchOptions options;
  options.k = k;
  options.method = method;
  options.shifts = shifts;
  options.window = window;
  return options;
}

Problem chosen(const SearchOptions& options, int dimensions) {
  Problem p;
  p.dimensions = dimensions;
  choose_parameters(options, p);
  return p;
}

TEST(DefaultMethod, IsExact) {
  for (const std::int64_t k : {1, 4, 5, 8, 9, 16, 17, 32, 33, 1000})
    for (const int d : {2, 3}) {
      SearchOptions options;
      options.k = k;
      const Problem p = chosen(options, d);
      EXPECT_EQ(p.method, Method::exact);
      EXPECT_EQ(p.k, k);
      EXPECT_EQ(p.shifts, 0);
      EXPECT_EQ(p.window, 0);
    }
}

TEST(ShiftedSort, HasThreeShiftsAndWindowsThatGrowWithK) {
  for (const int d : {2, 3})
    for (std::int64_t k = 1, last = 0; k <= k_max_shifted_k; ++k) {
      const Problem p = chosen(options_of(k, Method::shifted_sort), d);
      EXPECT_EQ(p.method, Method::shifted_sort);
      EXPECT_EQ(p.shifts, 3);
      EXPECT_GT(2 * p.window, k);  // the candidates of one shift fill a row, also without the query itself
      EXPECT_GE(p.window, last);
      last = p.window;
    }
  const Problem p = chosen(options_of(8, Method::shifted_sort, 7, 5), 3);
  EXPECT_EQ(p.shifts, 7);
  EXPECT_EQ(p.window, 5);
}

TEST(Paper, HasTheShiftsAndTheWindowOfItsText) {
  const SearchOptions options = options_of(16, Method::paper);
  EXPECT_EQ(chosen(options, 2).shifts, 3);
  EXPECT_EQ(chosen(options, 3).shifts, 5);
  for (const int d : {2, 3}) EXPECT_EQ(chosen(options, d).window, 16);
}

/// The message with which the options are refused; empty: they are not.
std::string refusal(const SearchOptions& options) {
  return test::refusal_of(ErrorKind::usage, [&] { check_options(options); });
}

TEST(CheckOptions, RefusesOptionsOfApproximateMethodsBesideTheExactOne) {
  const std::string rest = " is for approximate answers; it needs --method shifted-sort or paper";
  EXPECT_EQ(refusal(options_of(8, Method::exact, 3)), "--shifts" + rest);
  EXPECT_EQ(refusal(options_of(8, Method::exact, {}, 9)), "--window" + rest);
  EXPECT_EQ(refusal(options_of(100000)), "");
}

TEST(CheckOptions, RefusesWhatTheShiftedSortDoesNotTake) {
  const auto of = [](std::int64_t k, std::optional<int> shifts = {}, std::optional<std::int64_t> window = {}) {
    return refusal(options_of(k, Method::shifted_sort, shifts, window));
  };
  EXPECT_EQ(of(32, 1023, 1), "");
  EXPECT_EQ(of(33), "--method shifted-sort takes --k up to 32, got 33; the exact search, the default, takes any");
  for (const int shifts : {-1, 0, 4, 1024, 1025})
    EXPECT_EQ(of(8, shifts),
              "--shifts expects an odd whole number from 1 to 1023, got '" + std::to_string(shifts) + "'");
  EXPECT_EQ(of(8, 3, 0), "--window expects a whole number of at least 1, got '0'");
}

TEST(CheckOptions, RefusesWhatPaperDoesNotTake) {
  const auto of = [](std::int64_t k, std::optional<std::int64_t> window = {}, DeviceKind kind = DeviceKind::cuda) {
    SearchOptions options = options_of(k, Method::paper, {}, window);
    options.device.kind = kind;
    return refusal(options);
  };
  for (const std::int64_t k : {2, 4, 8, 16}) EXPECT_EQ(of(k) + of(k, k) + of(k, {}, DeviceKind::automatic), "");
  for (const std::int64_t k : {1, 3, 32, 33})
    EXPECT_EQ(of(k), "--method paper takes --k 2, 4, 8 or 16, got " + std::to_string(k));
  EXPECT_EQ(of(8, 9), "--method paper takes --window 8 (its k), got 9");
  EXPECT_EQ(of(8, 8, DeviceKind::cpu), "--method paper runs on CUDA devices only, got --device cpu");
}

TEST(CheckOptions, RefusesApproximateMethodsWhereTheAnswerIsExact) {
  for (const Method method : {Method::exact, Method::shifted_sort, Method::paper}) {
    SearchOptions in_box = options_of(8, method), on_sphere = in_box;
    in_box.periodic = {1, 1};
    on_sphere.sky = AngleUnit::deg;
    const auto want = [&](const std::string& option) {
      const std::string name(name_of(method));
      return method == Method::exact ? ""
                                     : "--method " + name + " does not go with " + option + ", whose answer is exact";
    };
    EXPECT_EQ(refusal(in_box), want("--periodic"));
    EXPECT_EQ(refusal(on_sphere), want("--sky"));
  }
}

}  // namespace
}  // namespace kann::problem
