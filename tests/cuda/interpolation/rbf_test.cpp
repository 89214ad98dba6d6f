// Radial basis functions on a device: the bytes of the CPU.
#include <cmath>
#include <cstring>
#include <limits>

#include "kann/error.hpp"

#include "cuda/gpu.hpp"
#include "products/attributes/transfer_cases.hpp"

namespace kann::test {
namespace {

class CudaRbf : public GpuTest {};
class CudaRbfLarge : public GpuTest {};

/// The neighbours of queries, and attributes.
struct RbfCase {
  std::string name;
  Points data, queries;
  Neighbors rows;
  std::vector<Attribute> attributes;
};

void expect_rbf_of_cpu(const RbfCase& c, const RbfOptions& rbf, const DeviceKind kind = DeviceKind::cuda) {
  if (thinned_out()) return;
  TransferOptions options;
  options.method = TransferMethod::rbf;
  options.rbf = rbf;
  options.threads = 2;
  options.device = {DeviceKind::cpu, 0};
  const TransferResult want = transfer(c.data, c.queries, c.rows, c.attributes, options);
  options.device = {kind, 0};
  const TransferResult got = transfer(c.data, c.queries, c.rows, c.attributes, options);
  const std::string what = c.name + " k=" + std::to_string(c.rows.k) + " kernel " +
                           std::to_string(static_cast<int>(rbf.kernel)) + " degree " + std::to_string(rbf.degree) +
                           " smoothing " + std::to_string(rbf.smoothing);
  ASSERT_EQ(got.singular, want.singular) << what;
  ASSERT_EQ(got.nan_values, want.nan_values) << what;
  ASSERT_EQ(got.without_neighbors, want.without_neighbors) << what;
  for (std::size_t a = 0; a < c.attributes.size(); ++a)
    for (std::int64_t q = 0; q < c.rows.queries; ++q)
      ASSERT_EQ(std::memcmp(&doubles(got, a)[q], &doubles(want, a)[q], sizeof(double)), 0)
          << what << " attribute " << a << " query " << q << ": got " << doubles(got, a)[q] << ", want "
          << doubles(want, a)[q];
}

/// One attribute without gaps, one with values that are not finite, and one of whole numbers.
std::vector<Attribute> three_attributes(std::int64_t n) {
  const Points places = float64_points(n, 3, 41);
  Attribute holes = smooth_attribute(places, 42, "holes");
  auto& values = std::get<Array<double>>(holes.values);
  for (std::size_t i = 0; i < values.size(); i += 97) values[i] = std::numeric_limits<double>::quiet_NaN();
  if (n > 50) values[50] = std::numeric_limits<double>::infinity();
  return {smooth_attribute(places, 43), holes, whole_attribute<std::uint16_t>(n, 44, "class")};
}

RbfCase make_case(const std::string& name, Points data, Points queries, int k) {
  Neighbors rows = nearest_rows(data, queries, k);
  std::vector<Attribute> attributes = three_attributes(data.size());
  return {name, std::move(data), std::move(queries), std::move(rows), std::move(attributes)};
}

TEST_F(CudaRbf, HasTheBytesOfTheCpuForEveryShape) {
  for (const int d : {2, 3})
    for (const int k : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64}) {
      const RbfCase c = make_case("float64", float64_points(400, d, 1), float64_points(67, d, 2), k);
      for (const RbfKernel kernel : k_kernels)
        for (const int degree : {-1, 0, 1, 2})
          for (const double smoothing : {0.0, 0.125})
            ASSERT_NO_FATAL_FAILURE(expect_rbf_of_cpu(c, {kernel, degree, smoothing, degree == 0 ? 1.0 : 3.0}));
    }
}

TEST_F(CudaRbf, HasTheBytesOfTheCpuOnHardClouds) {
  for (const int d : {2, 3})
    for (const CloudKind& kind : all_clouds())
      for (const int k : {3, 8, 16, 20, 33, 64}) {
        // Rows of 64 among 50 points have neighbours that are missing.
        const RbfCase c = make_case(kind.name, to_points(kind.make(k == 64 ? 50 : 257, d, 3), d),
                                    to_points(kind.make(65, d, 4), d), k);
        for (const RbfKernel kernel : k_kernels) ASSERT_NO_FATAL_FAILURE(expect_rbf_of_cpu(c, {kernel, 1, 0, 1}));
        ASSERT_NO_FATAL_FAILURE(expect_rbf_of_cpu(c, {RbfKernel::cubic, 2, 0, 1}));
      }
}

TEST_F(CudaRbf, HasTheBytesOfTheCpuForAnyNumberOfQueriesAndNeighbors) {
  for (const std::int64_t queries : {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65}) {
    RbfCase c = make_case("rows", float64_points(300, 3, 5), float64_points(queries, 3, 6), 16);
    Random random(7);
    for (std::int64_t q = 0; q < queries; ++q)  // rows of 0 to 16 neighbours, some with a gap
      for (std::int64_t r = static_cast<std::int64_t>(random.below(20)); r < 16; ++r)
        if (random.below(30) > 0) {
          c.rows.ids[q * 16 + r] = k_missing_id;
          c.rows.distances[q * 16 + r] = std::numeric_limits<float>::infinity();
        }
    ASSERT_NO_FATAL_FAILURE(expect_rbf_of_cpu(c, {}));
  }
}

/// A search takes coordinates up to 10¹⁵³ or so, a transfer any: the neighbours are those in metres.
TEST_F(CudaRbf, HasTheBytesOfTheCpuInAnyUnit) {
  RbfCase c = make_case("unit", float64_points(300, 3, 8), float64_points(65, 3, 9), 12);
  for (const double unit : {1e-300, 1e-160, 1e-30, 1e6, 1e30, 1e150, 1e300}) {
    c.data = float64_points(300, 3, 8, unit);
    c.queries = float64_points(65, 3, 9, unit);
    for (const RbfKernel kernel : k_kernels) ASSERT_NO_FATAL_FAILURE(expect_rbf_of_cpu(c, {kernel, 1, 0, 1}));
  }
}

TEST_F(CudaRbfLarge, HasTheBytesOfTheCpuOnMoreQueriesThanATile) {
  const std::int64_t queries = (std::int64_t{1} << 20) + 3;
  const RbfCase c = make_case("tiles", float64_points(20000, 3, 10), float64_points(queries, 3, 11), 8);
  ASSERT_NO_FATAL_FAILURE(expect_rbf_of_cpu(c, {}));
  EXPECT_TRUE(cuda::has_started(0));  // so that the choice is the device
  ASSERT_NO_FATAL_FAILURE(expect_rbf_of_cpu(c, {}, DeviceKind::automatic));
}

}  // namespace
}  // namespace kann::test
