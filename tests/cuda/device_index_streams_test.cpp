// An index over data on a device works beside other streams and threads, and refuses what it cannot search.
#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kann/device_index.hpp"
#include "kann/error.hpp"
#include "kann/index.hpp"

#include "cuda/backend.hpp"
#include "cuda/on_device.hpp"
#include "cuda/runtime/on_device.hpp"
#include "cuda/same_bytes.hpp"
#include "float64_clouds.hpp"

namespace kann {
namespace {

using test::brute_force, test::CloudOnDevice, test::rows_of, test::same_bytes, test::with_invalid;

/// Holds up a stream until it is released.
class Hold {
 public:
  explicit Hold(cudaStream_t stream) {
    cuda::check(cudaLaunchHostFunc(
                    stream,
                    [](void* flag) {
                      while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
                    },
                    &is_released_),
                "cudaLaunchHostFunc");
  }
  ~Hold() { release(); }
  void release() { is_released_ = true; }

 private:
  std::atomic<bool> is_released_ = false;
};

class CudaDeviceIndexOnStream : public test::GpuTest {};

TEST_F(CudaDeviceIndexOnStream, MayBeAskedByManyThreads) {
  const auto cases = test::cases(3000, 500, 3, 37);
  const test::Case floats = cases[0], self = cases[1];
  const test::Case doubles{"", floats.data, test::to_points(test::fine(500, 3, 37), 3)};
  test::Device owner;
  const CloudOnDevice data(owner, floats.data);
  const DeviceIndex index(data.view());
  const std::vector<Neighbors> want = {brute_force(floats, 8), brute_force(self, 8), brute_force(doubles, 8)};
  std::atomic<int> wrong = 0;
  const auto ask = [&](std::size_t first) {
    test::Device device;
    const CloudOnDevice d_floats(device, *floats.queries), d_doubles(device, *doubles.queries);
    const std::optional<PointsView> asked[] = {d_floats.view(), std::nullopt, d_doubles.view()};
    for (std::size_t i = first; i < first + 9; ++i) {
      const Neighbors got = rows_of(device, index, asked[i % 3], 8);
      wrong += !same_bytes(got.ids, want[i % 3].ids) || !same_bytes(got.distances, want[i % 3].distances);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) threads.emplace_back(ask, t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaDeviceIndexOnStream, WorksOnTheDefaultStream) {
  const test::Case c = test::cases(500, 0, 3, 41)[1];
  test::Device device;
  const CloudOnDevice data(device, c.data);
  const DeviceIndex index(data.view());
  const auto d_ids = device.poisoned<std::int32_t>(500 * 8);
  const auto d_distances = device.poisoned<float>(500 * 8);
  device.synchronize();
  index.queue_search_self({d_ids.data(), d_distances.data()}, 8);
  cuda::check(cudaStreamSynchronize(nullptr), "default stream");
  const auto ids = device.download(d_ids);
  EXPECT_EQ((Array<std::int32_t>(ids.begin(), ids.end())), brute_force(c, 8).ids);
}

/// The data are copied to their place behind work that takes long.
TEST_F(CudaDeviceIndexOnStream, WaitsForTheStreamOfTheData) {
  const test::Case c = test::cases(2000, 0, 3, 43)[1];
  test::Device device;
  const CloudOnDevice source(device, c.data);
  const auto d_data = device.poisoned<float>(6000);
  Hold hold(device.stream());
  const std::jthread releasing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the result does not depend on it
    hold.release();
  });
  cuda::check(cudaMemcpyAsync(d_data.data(), std::get<std::span<const float>>(source.view().coordinates).data(),
                              6000 * sizeof(float), cudaMemcpyDeviceToDevice, device.stream()),
              "copy");
  const DeviceIndex index(PointsView(3, std::span<const float>(d_data.data(), 6000)), {.stream = device.stream()});
  EXPECT_EQ(rows_of(device, index, std::nullopt, 8).ids, brute_force(c, 8).ids);
}

/// The stream is held up: a call that waited for it would never return.
TEST_F(CudaDeviceIndexOnStream, DoesNotWait) {
  const auto cases = test::cases(5000, 3000, 3, 47);
  test::Device device;
  const CloudOnDevice data(device, cases[0].data), queries(device, *cases[0].queries);
  const DeviceIndex index(data.view());
  for (const auto& asked : {std::optional<PointsView>(queries.view()), std::optional<PointsView>()})
    rows_of(device, index, asked, 8);  // the first search orders the data, and waits for that
  const auto d_ids = device.poisoned<std::int32_t>(8000 * 8);
  const auto d_distances = device.poisoned<float>(8000 * 8);
  Hold hold(device.stream());
  index.queue_search(queries.view(), {d_ids.data(), d_distances.data()}, 8, device.stream());
  index.queue_search_self({d_ids.data() + 3000 * 8, d_distances.data() + 3000 * 8}, 8, device.stream());
  EXPECT_EQ(cudaStreamQuery(device.stream()), cudaErrorNotReady);
  hold.release();
  const auto ids = device.download(d_ids);
  Array<std::int32_t> want = brute_force(cases[0], 8).ids;
  const Array<std::int32_t> of_data = brute_force(cases[1], 8).ids;
  want.insert(want.end(), of_data.begin(), of_data.end());
  EXPECT_EQ((Array<std::int32_t>(ids.begin(), ids.end())), want);
}

TEST_F(CudaDeviceIndexOnStream, MayBeDestroyedWhileItsSearchesRun) {
  const auto cases = test::cases(20000, 300, 3, 67);
  test::Device device;
  const CloudOnDevice data(device, cases[0].data), queries(device, *cases[0].queries);
  const auto d_ids = device.poisoned<std::int32_t>(300 * 500);
  const auto d_distances = device.poisoned<float>(300 * 500);
  DeviceIndex(data.view()).queue_search(queries.view(), {d_ids.data(), d_distances.data()}, 500, device.stream());
  const auto ids = device.download(d_ids);
  EXPECT_EQ((Array<std::int32_t>(ids.begin(), ids.end())), brute_force(cases[0], 500).ids);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "done";
}

TEST_F(CudaDeviceIndexOnStream, RefusesInvalidDataAsTheHostDoes) {
  for (const Points& cloud :
       {test::to_points(test::uniform(500, 3, 53), 3), test::to_points(test::fine(500, 2, 53), 2)}) {
    const Points invalid = with_invalid(cloud);
    test::Device device;
    const CloudOnDevice data(device, invalid);
    const std::string want = refusal([&] { Index index(invalid); });
    EXPECT_NE(want.find("points have NaN or infinite coordinates (first: 3)"), std::string::npos) << want;
    EXPECT_EQ(refusal([&] { DeviceIndex index(data.view()); }), want);
  }
}

TEST_F(CudaDeviceIndexOnStream, RefusesWhatItCannotSearch) {
  test::Device device;
  const Points cloud = test::to_points(test::uniform(100, 3, 59), 3);
  const CloudOnDevice data(device, cloud), planar(device, test::to_points(test::uniform(100, 2, 59), 2));
  const auto d_ids = device.poisoned<std::int32_t>(800);
  const auto d_distances = device.poisoned<float>(800);
  const DeviceNeighbors to{d_ids.data(), d_distances.data()};
  const DeviceIndex index(data.view());
  EXPECT_EQ(refusal([&] { index.queue_search(data.view(), to, 8); }), "done");
  EXPECT_EQ(refusal([&] { index.queue_search(planar.view(), to, 8); }),
            "queries: points have 2 coordinates (data has 3)");
  EXPECT_EQ(refusal([&] { index.queue_search_self(to, 0); }), "--k expects a whole number of at least 1, got '0'");
  EXPECT_EQ(refusal([&] { index.queue_search(cloud, to, 8); }), "queries: not in the memory of CUDA device 0");
  EXPECT_EQ(refusal([&] { index.queue_search_self({}, 8); }), "results: not in the memory of CUDA device 0");
  EXPECT_EQ(refusal([&] { DeviceIndex on_host(cloud, {.data_name = "cloud"}); }),
            "cloud: not in the memory of CUDA device 0");
  EXPECT_EQ(refusal([&] { DeviceIndex nowhere(data.view(), {.device = 200}); }).substr(0, 38),
            "no CUDA device (cuda:200 does not exis");
  const CloudOnDevice far(device, Points{2, Array<double>{1e160, 0}});
  const DeviceIndex wide(far.view());
  EXPECT_EQ(refusal([&] { wide.queue_search_self(to, 8); }),
            "data: coordinates of 10^153 and more cannot be searched on a device; scale them down");
  device.synchronize();
}

/// The same for data on the host, whose queries are on the device.
TEST_F(CudaDeviceIndexOnStream, RefusesStreamsOfAnotherDevice) {
  if (cuda::device_count() < 2) GTEST_SKIP() << "one GPU";
  cudaStream_t elsewhere = nullptr;
  cuda::on_device(1, [&] { cuda::check(cudaStreamCreate(&elsewhere), "cudaStreamCreate"); });
  test::Device device;
  const test::Case c = test::cases(100, 0, 3, 61)[1];
  const CloudOnDevice data(device, c.data);
  const auto d_ids = device.poisoned<std::int32_t>(800);
  const auto d_distances = device.poisoned<float>(800);
  const DeviceNeighbors to{d_ids.data(), d_distances.data()};
  const DeviceIndex index(data.view());
  const Index on_host(c.data);
  const std::string refused = "the stream is not one of CUDA device 0";
  EXPECT_EQ(refusal([&] { DeviceIndex(data.view(), {.stream = elsewhere}); }), refused);
  EXPECT_EQ(refusal([&] { index.queue_search(data.view(), to, 8, elsewhere); }), refused);
  EXPECT_EQ(refusal([&] { index.queue_search_self(to, 8, elsewhere); }), refused);
  EXPECT_EQ(refusal([&] { on_host.queue_search(data.view(), to, {8, elsewhere}); }), refused);
  EXPECT_EQ(rows_of(device, index, std::nullopt, 8).ids, brute_force(c, 8).ids);
  cuda::on_device(1, [&] { cuda::check(cudaStreamDestroy(elsewhere), "cudaStreamDestroy"); });
}

}  // namespace
}  // namespace kann
