// The points that rows name, picked from data in blocks, are those of the data in memory.
#include "flow/sources/named_points.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clouds.hpp"

namespace kann::test {
namespace {

/// A cloud in memory, with an attribute that is the number of each point.
class NumberedCloud : public flow::CloudSource {
 public:
  explicit NumberedCloud(std::int64_t n) : all_(cloud(0, n)), none_(cloud(0, 0)), n_(n) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return 2; }
  bool is_float64() const override { return true; }
  std::int64_t size() const override { return n_; }
  void for_each_block(std::int64_t, std::int64_t, std::int64_t, const Block&) const override { FAIL(); }
  const Cloud& described() const override { return none_; }
  Cloud read(std::int64_t first, std::int64_t count) const override {
    ++reads;
    EXPECT_LE(first + count, n_);
    return cloud(first, count);
  }
  std::uint64_t hash() const override { return 0; }

  mutable int reads = 0;

 private:
  static Cloud cloud(std::int64_t first, std::int64_t count) {
    Array<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), first);
    Array<double> c;
    for (const std::int64_t number : numbers) c.insert(c.end(), {static_cast<double>(number), -.5});
    Cloud cloud{{2, std::move(c)}, {}};
    cloud.attributes.push_back({"number", std::move(numbers)});
    return cloud;
  }

  const Cloud all_, none_;
  const std::int64_t n_;
  const std::string name_ = "numbered";
};

void expect_picked(const flow::NamedPoints& named, const std::vector<std::int64_t>& numbers) {
  const auto& got = std::get<Array<std::int64_t>>(named.cloud().attributes.at(0).values);
  const auto& coordinates = std::get<Array<double>>(named.cloud().points.coordinates);
  ASSERT_EQ(coordinates.size(), 2 * got.size());
  for (const std::int64_t number : numbers) {
    const auto place = static_cast<std::size_t>(named.place_of(number));
    ASSERT_LT(place, got.size());
    EXPECT_EQ(got[place], number);
    EXPECT_EQ(coordinates[2 * place], static_cast<double>(number));
  }
  EXPECT_TRUE(named.numbers().empty() || std::ranges::equal(named.numbers(), got));
}

TEST(NamedPoints, AreThePointsWithTheseNumbers) {
  Random r(3);
  for (const std::int64_t n : {1, 2, 63, 64, 65, 4097, 3'000'000})
    for (const std::int64_t count : {0, 1, 2, 100, 50'000}) {  // few are sorted, many are marked in a set
      const NumberedCloud data(n);
      flow::NamedPoints named(data, 0, 2);
      for (int time = 0; time < 2; ++time) {
        std::vector<std::int64_t> numbers;
        for (std::int64_t i = 0; i < count; ++i)
          numbers.push_back(static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(n))));
        if (count > 2) numbers[0] = 0, numbers[1] = n - 1;
        named.pick(numbers);
        EXPECT_EQ(named.cloud().points.size(), std::ssize(std::set(numbers.begin(), numbers.end())))
            << n << " " << count;
        expect_picked(named, numbers);
      }
    }
}

TEST(NamedPoints, AreAllReadOnceWhereThereAreNoMore) {
  const NumberedCloud data(1000);
  flow::NamedPoints named(data, 1000, 1);
  for (int time = 0; time < 3; ++time) {
    named.pick({5, 999, 0, 5});
    EXPECT_EQ(named.cloud().points.size(), 1000);
    EXPECT_TRUE(named.numbers().empty());
    expect_picked(named, {5, 999, 0});
  }
  EXPECT_EQ(data.reads, 1);
}

}  // namespace
}  // namespace kann::test
