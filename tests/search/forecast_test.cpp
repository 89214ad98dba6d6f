// The model that chooses the device: what it says of searches whose times were measured, and how it counts a start.
#include <gtest/gtest.h>
#include <vector>

#include "kann/device.hpp"
#include "kann/search.hpp"

#include "search/devices/device_model.hpp"
#include "search/devices/start_up.hpp"

namespace kann::test {
namespace {

SearchOptions forecast_options(std::int64_t k, int threads) {
  SearchOptions options;
  options.k = k;
  options.threads = threads;
  return options;
}

/// Milliseconds on the 16 threads of an H200's host and on the H200, the start not counted.
struct Measured {
  std::int64_t points, k;
  double cpu_ms, cuda_ms;
};
constexpr Measured k_measured[] = {{1'000'000, 1, 28, 7},      {1'048'576, 8, 29, 10},
                                   {1'000'000, 32, 73, 15},    {1'000'000, 100, 185, 34},
                                   {10'000'000, 32, 722, 117}, {10'000'000, 100, 1'833, 300}};

TEST(DeviceModel, IsNearWhatWasMeasured) {
  for (const Measured& m : k_measured) {
    const detail::SearchWork work{m.points, m.points, m.k};
    EXPECT_NEAR(detail::cpu_search_seconds(work, 16), m.cpu_ms * 1e-3, m.cpu_ms * .3e-3) << m.points << " " << m.k;
    EXPECT_NEAR(detail::cuda_search_seconds(work), m.cuda_ms * 1e-3, m.cuda_ms * .5e-3) << m.points << " " << m.k;
  }
}

TEST(DeviceModel, GrowsWithEverySize) {
  double last = 0;
  for (std::int64_t k : {1, 2, 4, 8, 9, 16, 17, 32, 33, 100, 999, 1'000, 1'001, 100'000}) {
    const double seconds = detail::cpu_search_seconds({1000, 1000, k}, 1);
    EXPECT_GT(seconds, last) << k;
    last = seconds;
  }
  EXPECT_GT(detail::cpu_search_seconds({2000, 1000, 8}, 1), detail::cpu_search_seconds({1000, 1000, 8}, 1));
  EXPECT_LT(detail::cpu_search_seconds({1'000'000, 1000, 8}, 4), detail::cpu_search_seconds({1'000'000, 1000, 8}, 1));
}

TEST(DeviceModel, CountsClustersByTheirPoints) {
  const SearchSize size{.data_points = 10'000'000, .finds_clusters = true};
  const DeviceForecast two = forecast_device(forecast_options(8, 2), {&size, 1});
  EXPECT_NEAR(two.cpu_seconds, 6.7, 1.5);
  EXPECT_EQ(two.first(), DeviceKind::cuda);
  const SearchSize small{.data_points = 1'000, .finds_clusters = true};
  EXPECT_LT(detail::cpu_cluster_seconds(small.data_points, 2), detail::cuda_cluster_seconds(small.data_points, 2));
}

/// These start no device, so the whole start counts, unless another test of the process has asked for one.
class Forecast : public testing::Test {
 protected:
  void SetUp() override {
    if (detail::start_up_state(0).has_begun) GTEST_SKIP() << "the process has looked for a device";
  }
};

TEST_F(Forecast, CountsTheStartAndTheEnd) {
  const DeviceForecast nothing = forecast_device({}, {});
  EXPECT_EQ(nothing.cpu_seconds, 0);
  EXPECT_EQ(nothing.cuda_seconds, detail::k_cuda_start_seconds + detail::k_cuda_end_seconds);
  EXPECT_EQ(nothing.first(), DeviceKind::cpu);
  EXPECT_NE(nothing.reason.find("to start and end"), std::string::npos) << nothing.reason;
}

TEST_F(Forecast, StartsBesideWhatComesBefore) {
  EXPECT_NEAR(forecast_device({}, {}, .1).cuda_seconds, detail::k_cuda_start_seconds + detail::k_cuda_end_seconds - .1,
              1e-9);
  EXPECT_NEAR(forecast_device({}, {}, 1e3).cuda_seconds, detail::k_cuda_end_seconds, 1e-9);
}

TEST_F(Forecast, PrefersTheDeviceForManySearches) {
  const SearchOptions options = forecast_options(8, 2);
  const SearchSize size{120'000, 120'000};
  std::vector<SearchSize> sizes(1, size);
  EXPECT_EQ(forecast_device(options, sizes).first(), DeviceKind::cpu);
  sizes.assign(1'000, size);
  EXPECT_EQ(forecast_device(options, sizes).first(), DeviceKind::cuda);
}

TEST_F(Forecast, TakesOrderedDataAsNoWorkForTheCpu) {
  const SearchOptions options = forecast_options(8, 1);
  SearchSize size{10'000'000, 1'000};
  EXPECT_EQ(forecast_device(options, {&size, 1}).first(), DeviceKind::cuda);
  size.data_are_ordered = true;
  EXPECT_EQ(forecast_device(options, {&size, 1}).first(), DeviceKind::cpu);
}

TEST_F(Forecast, TakesNoMoreNeighborsThanThereAre) {
  const SearchOptions options = forecast_options(1'000'000, 1);
  const SearchSize size{10, 1'000};
  EXPECT_EQ(forecast_device(options, {&size, 1}).first(), DeviceKind::cpu);
}

}  // namespace
}  // namespace kann::test
