// transfer() by the nearest value, means and votes, against brute force; which method an attribute gets where a method
// stands for several; and what is refused.
#include "kann/transfer.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <map>

#include "products/attributes/transfer_cases.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

TransferOptions options_by(TransferMethod method, int threads = 2) {
  TransferOptions options;
  options.method = method;
  options.threads = threads;
  return options;
}

/// In 80 bits, whose exponents have 15.
long double wide_sq_distance(const Points& data, std::int64_t id, const Points& queries, std::int64_t query) {
  long double sum = 0;
  for (int axis = 0; axis < data.dimensions; ++axis) {
    const long double difference = static_cast<long double>(data.at(id, axis)) - queries.at(query, axis);
    sum += difference * difference;
  }
  return sum;
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
    const TransferResult got = transfer(c.data, c.queries, c.rows, attributes, options_by(TransferMethod::nearest));
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
    const TransferResult got = transfer(data, queries, n, attributes, options_by(m));
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
  const TransferResult vote =
      transfer(data, queries, n, std::span(attributes + 1, 1), options_by(TransferMethod::vote));
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
    const TransferResult mean = transfer(c.data, c.queries, c.rows, both, options_by(TransferMethod::mean));
    const TransferResult idw = transfer(c.data, c.queries, c.rows, both, options_by(TransferMethod::idw, 1));
    std::int64_t left_out = 0;
    for (std::int64_t q = 0; q < c.queries.size(); ++q)
      for (std::size_t a = 0; a < 2; ++a) {
        long double sum = 0, count = 0, weighted = 0, weights = 0, at_zero = 0, zeros = 0;
        for (std::int64_t r = 0; r < c.rows.k; ++r) {
          const std::int32_t id = c.rows.ids[q * c.rows.k + r];
          if (id == k_missing_id) continue;
          const long double v = both[a].at(id);
          const long double d2 = wide_sq_distance(c.data, id, c.queries, q);
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
      const TransferResult got =
          transfer(data, queries, rows, std::span(&attribute, 1), options_by(TransferMethod::idw));
      for (std::int64_t q = 0; q < 50; ++q) {
        long double sum = 0, weights = 0;
        for (std::int64_t r = 0; r < 7; ++r) {
          const std::int32_t id = rows.ids[q * 7 + r];
          const long double d2 = wide_sq_distance(data, id, queries, q);
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
    return doubles(transfer(data, query, row, std::span(&attribute, 1), options_by(TransferMethod::idw)))[0];
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
  TransferOptions options = options_by(TransferMethod::idw);
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
    const TransferResult got = transfer(c.data, c.queries, c.rows, attributes, options_by(TransferMethod::vote));
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
  const TransferResult got = transfer(data, query, n, std::span(&large, 1), options_by(TransferMethod::vote));
  EXPECT_EQ(std::get<Array<std::int64_t>>(got.attributes[0].values)[0], (std::int64_t{1} << 53) + 1);
}

struct Arguments {
  Points data = float64_points(5, 3, 1), queries = float64_points(2, 3, 2);
  Neighbors n = nearest_rows(data, queries, 3);
  std::vector<Attribute> attributes = {smooth_attribute(data, 3)};
  TransferOptions options;

  Arguments() { options.method = TransferMethod::rbf; }
};

struct Refusal {
  ErrorKind kind;
  std::string words;
  std::function<void(Arguments&)> spoil;
};

TEST(TransferChecks, RefuseWithTheReason) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Refusal refusals[] = {
      {ErrorKind::usage, "degree", [](Arguments& a) { a.options.rbf.degree = 3; }},
      {ErrorKind::usage, "degree", [](Arguments& a) { a.options.rbf.degree = -2; }},
      {ErrorKind::usage, "epsilon", [](Arguments& a) { a.options.rbf.epsilon = 0; }},
      {ErrorKind::usage, "epsilon", [](Arguments& a) { a.options.rbf.epsilon = -1; }},
      {ErrorKind::usage, "epsilon", [](Arguments& a) { a.options.rbf.epsilon = NAN; }},
      {ErrorKind::usage, "epsilon", [](Arguments& a) { a.options.rbf.epsilon = 1e200; }},
      {ErrorKind::usage, "epsilon", [](Arguments& a) { a.options.rbf.epsilon = 1e-200; }},
      {ErrorKind::usage, "smoothing", [](Arguments& a) { a.options.rbf.smoothing = -1e-9; }},
      {ErrorKind::usage, "smoothing", [&](Arguments& a) { a.options.rbf.smoothing = infinity; }},
      {ErrorKind::usage, "--periodic expects",
       [](Arguments& a) {
         a.options.method = TransferMethod::idw;
         a.options.periodic = {1, NAN, 1};
       }},
      {ErrorKind::usage, "no periodic box",
       [](Arguments& a) {
         a.options.periodic = {1, 1, 1};
       }},
      {ErrorKind::usage, "2 numbers of a periodic box",
       [](Arguments& a) {
         a.options.method = TransferMethod::idw;
         a.options.periodic = {1, 1};
       }},
      {ErrorKind::usage, "threads", [](Arguments& a) { a.options.threads = -1; }},
      {ErrorKind::usage, "at most 64",
       [](Arguments& a) {
         a.n = {2, 65, Array<std::int32_t>(130, 0), Array<float>(130, 1)};
       }},
      {ErrorKind::bad_input, "do not match", [](Arguments& a) { a.n.ids.pop_back(); }},
      {ErrorKind::bad_input, "do not match", [](Arguments& a) { a.n.k = std::int64_t{1} << 62; }},
      {ErrorKind::bad_input, "2 rows of neighbours for 1 queries",
       [](Arguments& a) { a.queries = float64_points(1, 3, 1); }},
      {ErrorKind::bad_input, "neighbour 5 is none of the 5 data points", [](Arguments& a) { a.n.ids[4] = 5; }},
      {ErrorKind::bad_input, "neighbour -2 is none of the 5 data points", [](Arguments& a) { a.n.ids[4] = -2; }},
      {ErrorKind::bad_input, "\"height\" has 4 values", [](Arguments& a) { a.attributes[0].values = Array<float>(4); }},
      {ErrorKind::bad_input, "fractions, which vote does not take",
       [](Arguments& a) { a.options.method = TransferMethod::vote; }},
      {ErrorKind::bad_input, "\"height\" is text; use nearest or vote",
       [](Arguments& a) {
         a.attributes[0] = {"height", Array<std::int64_t>(5), Meaning::none, std::make_shared<const Texts>()};
         a.options.method = TransferMethod::mean;
       }},
      {ErrorKind::bad_input, "data of 3 coordinates and queries of 2",
       [](Arguments& a) { a.queries = float64_points(2, 2, 1); }},
      {ErrorKind::no_device, "CUDA",
       [](Arguments& a) {
         a.options.device = {DeviceKind::cuda, 99};
       }},
  };
  for (const Refusal& refusal : refusals) {
    Arguments a;
    refusal.spoil(a);
    const std::string message =
        refusal_of(refusal.kind, [&] { transfer(a.data, a.queries, a.n, a.attributes, a.options); });
    EXPECT_NE(message.find(refusal.words), std::string::npos) << refusal.words << ": " << message;
  }
}

TEST(TransferChecks, AcceptNothing) {
  for (const TransferMethod m : {TransferMethod::nearest, TransferMethod::mean, TransferMethod::idw,
                                 TransferMethod::vote, TransferMethod::rbf}) {
    Arguments a;
    a.options.method = m;
    a.attributes = {whole_attribute<std::uint8_t>(5, 1, "class")};
    EXPECT_TRUE(transfer(a.data, a.queries, a.n, {}, a.options).attributes.empty());
    const Neighbors rows{0, 3, {}, {}}, columns{2, 0, {}, {}};
    EXPECT_EQ(transfer(a.data, Points{3, Array<double>()}, rows, a.attributes, a.options).attributes[0].size(), 0);
    const TransferResult empty = transfer(a.data, a.queries, columns, a.attributes, a.options);
    EXPECT_EQ(empty.without_neighbors, 2);
    EXPECT_EQ(empty.attributes[0].size(), 2);
  }
}

TransferMethod chosen(const Attribute& attribute, TransferMethod asked) { return transfer_method(attribute, asked); }

TEST(TransferMethodTest, WholeNumbersAreVotedForUnlessTheyAreQuantities) {
  using enum TransferMethod;
  for (const TransferMethod asked : {mean, idw, rbf}) {
    EXPECT_EQ(chosen({"class", Array<std::uint8_t>{1}}, asked), vote);
    EXPECT_EQ(chosen({"depth", Array<std::int32_t>{1}}, asked), vote);
    EXPECT_EQ(chosen({"depth", Array<double>{1}}, asked), asked);
    for (const char* const name : {"red", "Intensity", "diffuse_blue", "nir"})
      EXPECT_EQ(chosen({name, Array<std::uint16_t>{1}}, asked), asked) << name;
    EXPECT_EQ(chosen({"shared", Array<std::uint16_t>{1}}, asked), vote);
    EXPECT_EQ(chosen({"Height", Array<std::int32_t>{1}, Meaning::coordinate}, asked), asked) << "a coordinate";
  }
  EXPECT_EQ(chosen({"class", Array<std::uint8_t>{1}}, nearest), nearest);
  EXPECT_EQ(chosen({"depth", Array<float>{1}}, vote), mean);
}

}  // namespace
}  // namespace kann::test
