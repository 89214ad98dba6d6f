// transfer() by the nearest value, means and votes, against brute force.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include "attributes/transfer_cases.hpp"

namespace kann::test {
namespace {

constexpr float k_infinity = std::numeric_limits<float>::infinity();

TransferOptions by(TransferMethod method, int threads = 2) {
  TransferOptions options;
  options.method = method;
  options.threads = threads;
  return options;
}

struct Case {
  Points data, queries;
  Neighbors rows;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const CloudKind& kind : all_clouds())
    for (const std::int64_t queries : {0, 1, 2, 63, 64, 65})
      for (const int k : {1, 2, 7, 8, 9, 40}) {  // of 33 points: rows have missing neighbours
        const Points data = to_points(kind.make(33, 3, 1), 3), at = to_points(kind.make(queries, 3, 2), 3);
        out.push_back({data, at, nearest_rows(data, at, k)});
      }
  return out;
}

TEST(Transfer, NearestIsThatOfTheFirstNeighborInItsType) {
  for (const Case& c : cases()) {
    const Attribute attributes[] = {whole_attribute<std::uint64_t>(33, 3, "id"),
                                    whole_attribute<std::int8_t>(33, 4, "class"),
                                    {"half", Array<float>(33, 0.1f)}};
    const TransferResult got = transfer(c.data, c.queries, c.rows, attributes, by(TransferMethod::nearest));
    ASSERT_EQ(got.attributes.size(), 3u);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_EQ(got.attributes[a].name, attributes[a].name);
      ASSERT_EQ(got.attributes[a].values.index(), attributes[a].values.index());
      ASSERT_EQ(got.attributes[a].size(), c.queries.size());
      for (std::int64_t q = 0; q < c.queries.size(); ++q)
        ASSERT_EQ(got.attributes[a].at(q), attributes[a].at(c.rows.ids[q * c.rows.k]));
    }
  }
}

TEST(Transfer, QueriesWithoutNeighborsHaveNaNOr0) {
  const Points data = float64_points(3, 2, 1), queries = float64_points(2, 2, 2);
  Neighbors n{2, 2, {1, -1, -1, -1}, {1, k_infinity, k_infinity, k_infinity}};
  const Attribute attributes[] = {{"f", Array<float>{1, 2, 3}}, {"u", Array<std::uint8_t>{4, 5, 6}}};
  for (const TransferMethod m :
       {TransferMethod::nearest, TransferMethod::mean, TransferMethod::idw, TransferMethod::rbf}) {
    const TransferResult got = transfer(data, queries, n, attributes, by(m));
    EXPECT_EQ(got.without_neighbors, 1);
    EXPECT_EQ(got.attributes[0].at(0), 2);
    EXPECT_TRUE(std::isnan(got.attributes[0].at(1)));
    EXPECT_EQ(got.attributes[1].at(0), 5);
    if (m == TransferMethod::nearest) {
      EXPECT_EQ(got.attributes[1].at(1), 0);
    } else {
      EXPECT_TRUE(std::isnan(got.attributes[1].at(1)));
    }
  }
  const TransferResult vote = transfer(data, queries, n, std::span(attributes + 1, 1), by(TransferMethod::vote));
  EXPECT_EQ(vote.attributes[0].at(0), 5);
  EXPECT_EQ(vote.attributes[0].at(1), 0);
}

TEST(Transfer, MeansLeaveOutWhatIsNotFinite) {
  for (const Case& c : cases()) {
    Attribute attribute = smooth_attribute(float64_points(33, 3, 5), 6);
    auto& values = std::get<Array<double>>(attribute.values);
    values[3] = std::numeric_limits<double>::quiet_NaN();
    values[4] = -k_infinity;
    const Attribute whole = whole_attribute<std::int64_t>(33, 7, "whole");
    const Attribute both[] = {attribute, whole};
    const TransferResult mean = transfer(c.data, c.queries, c.rows, both, by(TransferMethod::mean));
    const TransferResult idw = transfer(c.data, c.queries, c.rows, both, by(TransferMethod::idw, 1));
    std::int64_t left_out = 0;
    for (std::int64_t q = 0; q < c.queries.size(); ++q)
      for (std::size_t a = 0; a < 2; ++a) {
        long double sum = 0, count = 0, weighted = 0, weights = 0, at_zero = 0, zeros = 0;
        for (std::int64_t r = 0; r < c.rows.k; ++r) {
          const std::int32_t id = c.rows.ids[q * c.rows.k + r];
          if (id == k_missing_id) continue;
          const long double v = both[a].at(id), d = c.rows.distances[q * c.rows.k + r];
          if (!std::isfinite(v)) {
            ++left_out;
            continue;
          }
          sum += v, count += 1;
          weighted += v / (d * d), weights += 1 / (d * d);
          if (d == 0) at_zero += v, zeros += 1;
        }
        if (count == 0) {
          EXPECT_TRUE(std::isnan(doubles(mean, a)[q]) && std::isnan(doubles(idw, a)[q]));
          continue;
        }
        EXPECT_NEAR(doubles(mean, a)[q], static_cast<double>(sum / count), 1e-13);
        // Distances of the cloud "huge" are infinite: all weigh the same.
        const long double want = zeros > 0 ? at_zero / zeros : weights > 0 ? weighted / weights : sum / count;
        EXPECT_NEAR(doubles(idw, a)[q], static_cast<double>(want), 1e-13);
      }
    EXPECT_EQ(mean.nan_values, left_out);
    EXPECT_EQ(idw.nan_values, left_out);
  }
}

TEST(Transfer, WeightsOfTinyAndHugeDistancesAreRight) {
  const Points data = float64_points(3, 2, 1), query = float64_points(1, 2, 2);
  const Attribute attribute{"v", Array<double>{0, 5, 1}};
  for (const float unit : {1e-45f, 1e-38f, 1.0f, 1e37f}) {
    const Neighbors n{1, 3, {0, 1, 2}, {unit, 2 * unit, k_infinity}};
    EXPECT_NEAR(doubles(transfer(data, query, n, std::span(&attribute, 1), by(TransferMethod::idw)))[0], 1, 1e-15)
        << unit;
  }
}

TEST(Transfer, VoteIsTheMostFrequentAndOfTheseTheNearest) {
  for (const Case& c : cases()) {
    const Attribute attributes[] = {whole_attribute<std::uint8_t>(33, 8, "class"),
                                    whole_attribute<std::int64_t>(33, 9, "id")};
    const TransferResult got = transfer(c.data, c.queries, c.rows, attributes, by(TransferMethod::vote));
    for (std::int64_t q = 0; q < c.queries.size(); ++q)
      for (std::size_t a = 0; a < 2; ++a) {
        std::map<double, int> counts;
        int most = 0;
        const auto value = [&](std::int64_t r) { return attributes[a].at(c.rows.ids[q * c.rows.k + r]); };
        for (std::int64_t r = 0; r < c.rows.k && c.rows.ids[q * c.rows.k + r] >= 0; ++r)
          most = std::max(most, ++counts[value(r)]);
        std::int64_t r = 0;
        while (counts[value(r)] < most) ++r;
        ASSERT_EQ(got.attributes[a].at(q), value(r));
        ASSERT_EQ(got.attributes[a].values.index(), attributes[a].values.index());
      }
  }
  const Points data = float64_points(2, 2, 1), query = float64_points(1, 2, 2);
  const Attribute large{"large", Array<std::int64_t>{(std::int64_t{1} << 53) + 1, -1}};  // not a float64
  const Neighbors n{1, 2, {0, 1}, {1, 2}};
  const TransferResult got = transfer(data, query, n, std::span(&large, 1), by(TransferMethod::vote));
  EXPECT_EQ(std::get<Array<std::int64_t>>(got.attributes[0].values)[0], (std::int64_t{1} << 53) + 1);
}

}  // namespace
}  // namespace kann::test
