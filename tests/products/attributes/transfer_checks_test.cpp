// transfer() refuses what it cannot use, with the reason.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "kann/error.hpp"

#include "products/attributes/transfer_cases.hpp"

namespace kann::test {
namespace {

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
    try {
      transfer(a.data, a.queries, a.n, a.attributes, a.options);
      ADD_FAILURE() << refusal.words << ": accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), refusal.kind) << e.what();
      EXPECT_NE(std::string(e.what()).find(refusal.words), std::string::npos) << e.what();
    }
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

}  // namespace
}  // namespace kann::test
