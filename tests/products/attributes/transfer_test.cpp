// transfer() by the nearest value, means and votes, against brute force.
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include "products/attributes/transfer_cases.hpp"

namespace kann::test {
namespace {

TransferOptions by(TransferMethod method, int threads = 2) {
  TransferOptions options;
  options.method = method;
  options.threads = threads;
  return options;
}

struct TransferCase {
  Points data, queries;
  Neighbors rows;
};

std::vector<TransferCase> transfer_cases() {
  std::vector<TransferCase> out;
  for (const CloudKind& kind : all_clouds())
    for (const std::int64_t queries : {0, 1, 2, 63, 64, 65})
      for (const int k : {1, 2, 7, 8, 9, 40}) {  // of 33 points: rows have missing neighbours
        const Points data = to_points(kind.make(33, 3, 1), 3), at = to_points(kind.make(queries, 3, 2), 3);
        out.push_back({data, at, nearest_rows(data, at, k)});
      }
  return out;
}

TEST(Transfer, NearestIsThatOfTheFirstNeighborInItsType) {
  for (const TransferCase& c : transfer_cases()) {
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
  for (const TransferCase& c : transfer_cases()) {
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
          const long double v = both[a].at(id);
          long double d2 = 0;
          for (int axis = 0; axis < 3; ++axis) {
            const long double difference = static_cast<long double>(c.data.at(id, axis)) - c.queries.at(q, axis);
            d2 += difference * difference;
          }
          if (!std::isfinite(v)) {
            ++left_out;
            continue;
          }
          sum += v, count += 1;
          weighted += v / d2, weights += 1 / d2;
          if (d2 == 0) at_zero += v, zeros += 1;
        }
        if (count == 0) {
          EXPECT_TRUE(std::isnan(doubles(mean, a)[q]) && std::isnan(doubles(idw, a)[q]));
          continue;
        }
        EXPECT_NEAR(doubles(mean, a)[q], static_cast<double>(sum / count), 1e-13);
        const long double want = zeros > 0 ? at_zero / zeros : weighted / weights;
        EXPECT_NEAR(doubles(idw, a)[q], static_cast<double>(want), 1e-13);
      }
    EXPECT_EQ(mean.nan_values, left_out);
    EXPECT_EQ(idw.nan_values, left_out);
  }
}

/// By the coordinates in float64, whatever the row says in float32: at most scales, 0 or infinity.
TEST(Transfer, WeightsAreRightAtAnyScale) {
  for (const double scale : {1e-320, 1e-300, 1e-160, 1e-150, 1e-45, 1.0, 1e37, 1e150, 1e200, 1e306})
    for (const int d : {2, 3}) {
      const Points unit = float64_points(40, d, 31), at = float64_points(50, d, 32);
      Points data = unit, queries = at;
      for (Points* const points : {&data, &queries})
        for (double& x : std::get<Array<double>>(points->coordinates)) x *= scale;
      Neighbors rows = nearest_rows(unit, at, 7);
      for (float& distance : rows.distances) distance = scale < 1 ? 0 : k_infinity;
      const Attribute attribute = smooth_attribute(unit, 33);
      const TransferResult got = transfer(data, queries, rows, std::span(&attribute, 1), by(TransferMethod::idw));
      for (std::int64_t q = 0; q < 50; ++q) {
        long double sum = 0, weights = 0;
        for (std::int64_t r = 0; r < 7; ++r) {
          const std::int32_t id = rows.ids[q * 7 + r];
          long double d2 = 0;
          for (int axis = 0; axis < d; ++axis) {
            const long double difference = static_cast<long double>(data.at(id, axis)) - queries.at(q, axis);
            d2 += difference * difference;  // whose exponents have 15 bits
          }
          sum += attribute.at(id) / d2, weights += 1 / d2;
        }
        ASSERT_NEAR(doubles(got)[q], static_cast<double>(sum / weights), 1e-12) << scale;
      }
    }
}

TEST(Transfer, PointsAtTheQueryTakeAllAndInfinitelyFarOnesCountTheSame) {
  const Attribute attribute{"v", Array<double>{1, 5, 9, 100}};
  const auto idw = [&](const Array<double>& x) {
    const Points data{2, Array<double>{x[0], 0, x[1], 0, x[2], 0, x[3], 0}}, query{2, Array<double>{0, 0}};
    const Neighbors row{1, 4, {0, 1, 2, 3}, {0, 0, 0, 0}};
    return doubles(transfer(data, query, row, std::span(&attribute, 1), by(TransferMethod::idw)))[0];
  };
  EXPECT_EQ(idw({5e-324, 0, 0, 1}), 7);
  EXPECT_EQ(idw({5e-324, 1, 1, 1}), 1);
  EXPECT_EQ(idw({1, HUGE_VAL, HUGE_VAL, HUGE_VAL}), 1);
  EXPECT_EQ(idw({NAN, 1, 1, HUGE_VAL}), 7) << "as infinitely far";
  EXPECT_EQ(idw({HUGE_VAL, HUGE_VAL, -HUGE_VAL, HUGE_VAL}), 115 / 4.0);
}

/// The distance across a face is that to the nearest image.
TEST(Transfer, WeightsInAPeriodicBoxAreThoseOfTheNearestImages) {
  const Points data{2, Array<double>{9.5, 3, 1, 3, 0.5, 8}}, query{2, Array<double>{0.5, 3}};
  const Neighbors row{1, 3, {1, 0, 2}, {0.5f, 1, 5}};
  const Attribute attribute{"v", Array<double>{1, 2, 3}};
  TransferOptions options = by(TransferMethod::idw);
  options.periodic = {10, 0};
  EXPECT_DOUBLE_EQ(doubles(transfer(data, query, row, std::span(&attribute, 1), options))[0],
                   (1.0 + 2 * 4.0 + 3 / 25.0) / (1 + 4 + 1 / 25.0));
  options.periodic = {0, 10};
  EXPECT_DOUBLE_EQ(doubles(transfer(data, query, row, std::span(&attribute, 1), options))[0],
                   (1 / 81.0 + 2 * 4.0 + 3 / 25.0) / (1 / 81.0 + 4 + 1 / 25.0));
}

TEST(Transfer, VoteIsTheMostFrequentAndOfTheseTheNearest) {
  for (const TransferCase& c : transfer_cases()) {
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
