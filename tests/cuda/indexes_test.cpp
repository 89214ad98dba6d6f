// Indexes of data in host memory and on a device work beside other threads and streams, survey their data alike, and
// refuse what they cannot search. That they find the right rows is tested in searches_test.cpp.
#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "kann/error.hpp"

#include "cuda/device_index.hpp"
#include "cuda/runtime/on_device.hpp"
#include "cuda/searches.hpp"
#include "float64_clouds.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

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

class CudaIndexes : public GpuTest {};

/// Each thread asks both indexes, one question after another from another one on.
TEST_F(CudaIndexes, MayBeAskedByManyThreads) {
  const auto all = cases(3000, 500, 3, 37);
  const Case floats = all[0], self = all[1], doubles{"", floats.data, to_points(fine(500, 3, 37), 3)};
  const Index on_host(floats.data);
  Device owner;
  const CloudOnDevice data(owner, floats.data);
  const DeviceIndex index(data.view());
  const std::vector<SearchOptions> searches = {shifted(8), exact(8), exact(1), shifted(32), exact(40)};
  const Case* const asked[] = {&floats, &self, &doubles};
  std::vector<Neighbors> want, want_of_device;
  for (const SearchOptions& options : searches) want.push_back(rows_by(cpu_rows, floats, options));
  for (const Case* c : asked) want_of_device.push_back(brute_force(*c, 8));
  std::atomic<int> wrong = 0;
  const auto compare = [&](const Neighbors& got, const Neighbors& right) {
    wrong += !same_bytes(got.ids, right.ids) || !same_bytes(got.distances, right.distances);
  };
  const auto ask = [&](std::size_t first) {
    Device device;
    for (std::size_t i = first; i < first + 9; ++i) {
      SearchOptions options = searches[i % 5];
      options.device.kind = DeviceKind::cuda;
      compare(on_host.search(*floats.queries, options).neighbors, want[i % 5]);
      std::optional<CloudOnDevice> queries;
      if (asked[i % 3]->queries) queries.emplace(device, *asked[i % 3]->queries);
      compare(rows_of(device, index, queries ? std::optional(queries->view()) : std::nullopt, 8),
              want_of_device[i % 3]);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t) threads.emplace_back(ask, t);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaIndexes, WorkOnTheDefaultStream) {
  const Case c = cases(500, 0, 3, 41)[1];
  Device device;
  const CloudOnDevice data(device, c.data);
  const DeviceIndex index(data.view());
  const RowsOnDevice rows(device, 500, 8);
  device.synchronize();
  index.queue_search_self(rows.to(), 8);
  cuda::check(cudaStreamSynchronize(nullptr), "default stream");
  expect_same(rows.download(device), brute_force(c, 8), "default stream");
}

/// The data are copied to their place behind work that takes long.
TEST_F(CudaIndexes, WaitForTheStreamOfTheData) {
  const Case c = cases(2000, 0, 3, 43)[1];
  Device device;
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
  expect_same(rows_of(device, index, std::nullopt, 8), brute_force(c, 8), "held up");
}

/// The stream is held up: a call that waited for it would never return. Both along the curve and in cells.
TEST_F(CudaIndexes, DoesNotWaitForItsSearches) {
  const Case uneven = cases(5000, 3000, 3, 47)[2];
  const Case even{"even", to_points(uniform(530000, 3, 41), 3), to_points(uniform(140000, 3, 42), 3)};
  for (const Case& c : {uneven, even}) {
    const Case self{c.name + ", self", c.data, std::nullopt};
    Device device;
    const CloudOnDevice data(device, c.data), queries(device, *c.queries);
    const Index on_host(c.data);
    const DeviceIndex index(data.view());
    const std::int64_t n = c.data.size(), m = c.queries->size();
    const RowsOnDevice rows_on_host(device, m, 8), rows(device, m, 8), own_rows(device, n, 8);
    const auto queue_all = [&] {
      on_host.queue_search(queries.view(), rows_on_host.to(), {8, device.stream()});
      index.queue_search(queries.view(), rows.to(), 8, device.stream());
      index.queue_search_self(own_rows.to(), 8, device.stream());
    };
    queue_all();  // the first searches order the data, and wait for that
    device.synchronize();
    Hold hold(device.stream());
    queue_all();
    EXPECT_EQ(cudaStreamQuery(device.stream()), cudaErrorNotReady);
    hold.release();
    const Neighbors want = rows_by(cpu_rows, c, exact(8));
    expect_same(rows_on_host.download(device), want, c.name);
    expect_same(rows.download(device), want, c.name);
    expect_same(own_rows.download(device), rows_by(cpu_rows, self, exact(8)), self.name);
  }
}

TEST_F(CudaIndexes, MayBeDestroyedWhileTheirSearchesRun) {
  const Case c = cases(20000, 300, 3, 67)[0];
  Device device;
  const CloudOnDevice data(device, c.data), queries(device, *c.queries);
  const RowsOnDevice rows(device, 300, 500);
  DeviceIndex(data.view()).queue_search(queries.view(), rows.to(), 500, device.stream());
  expect_same(rows.download(device), brute_force(c, 500), "destroyed");
}

/// The stream is held up: a destructor that waited for it would never return.
TEST_F(CudaIndexes, DoesNotWaitWhenDestroyedForSearchesOnTheStreamOfTheData) {
  const Case c = cases(20000, 3000, 3, 71)[0];
  Device device;
  const CloudOnDevice data(device, c.data), queries(device, *c.queries);
  for (const int k : {8, 500}) {
    const RowsOnDevice rows(device, 3000, k);
    std::optional<DeviceIndex> index(std::in_place, data.view(), DeviceIndexOptions{.stream = device.stream()});
    index->queue_search(queries.view(), rows.to(), k, device.stream());
    Hold hold(device.stream());
    index->queue_search(queries.view(), rows.to(), k, device.stream());
    index.reset();
    EXPECT_EQ(cudaStreamQuery(device.stream()), cudaErrorNotReady);
    hold.release();
    expect_same(rows.download(device), brute_force(c, k), "destroyed");
  }
}

/// The work that queue() queues on a stream, as a graph.
class Graph {
 public:
  template <class F>
  Graph(cudaStream_t stream, F queue) : stream_(stream) {
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin");
    queue();
    cuda::check(cudaStreamEndCapture(stream, &graph_), "end");
    cuda::check(cudaGraphInstantiate(&launched_, graph_, 0), "instantiate");
  }
  ~Graph() {
    cudaStreamSynchronize(stream_);
    cudaGraphExecDestroy(launched_);
    cudaGraphDestroy(graph_);
  }
  void launch() { cuda::check(cudaGraphLaunch(launched_, stream_), "launch"); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t launched_ = nullptr;
};

/// Launched again and again, a graph searches for the queries that are there then.
TEST_F(CudaIndexes, AreSearchedByGraphs) {
  const Case c = cases(20000, 33000, 3, 73)[0], self{"self", c.data, std::nullopt};
  const Case again{"other queries", c.data, to_points(uniform(33000, 3, 74), 3)};
  Device device;
  const CloudOnDevice data(device, c.data), queries(device, *c.queries), others(device, *again.queries);
  const auto d_queries = device.poisoned<float>(99000);
  const auto take = [&](const CloudOnDevice& from) {
    cuda::check(cudaMemcpyAsync(d_queries.data(), std::get<std::span<const float>>(from.view().coordinates).data(),
                                99000 * sizeof(float), cudaMemcpyDeviceToDevice, device.stream()),
                "queries");
  };
  for (const int k : {1, 8, 24, 100}) {
    const DeviceIndex index(data.view());
    const RowsOnDevice rows(device, 33000, k), own_rows(device, 20000, k);
    const auto queue = [&] {
      index.queue_search(PointsView(3, std::span<const float>(d_queries.data(), 99000)), rows.to(), k, device.stream());
      index.queue_search_self(own_rows.to(), k, device.stream());
    };
    Graph(device.stream(), [&] { EXPECT_NE(refusal_of(ErrorKind::usage, queue), "") << "the data are in no order"; });
    take(queries);
    queue();
    Graph graph(device.stream(), queue);
    for (const Case* now : {&again, &c, &again}) {
      take(now == &c ? queries : others);
      graph.launch();
      expect_same(rows.download(device), rows_by(cpu_rows, *now, exact(k)), now->name);
      expect_same(own_rows.download(device), rows_by(cpu_rows, self, exact(k)), self.name);
    }
  }
}

TEST_F(CudaIndexes, HaveNoNeighborsForFarQueries) {
  const Points cloud = to_points(uniform(1000, 3, 11), 3);
  Device device;
  const CloudOnDevice data(device, cloud), far(device, Points{3, Array<double>{1e300, 0, 0}});
  const Neighbors missing{1, 2, {-1, -1}, {k_infinity, k_infinity}};
  expect_same(rows_of(device, Index(cloud), far.view(), 2), missing, "host");
  expect_same(rows_of(device, DeviceIndex(data.view()), far.view(), 2), missing, "device");
}

std::vector<Points> clouds_of_many_kinds(std::int64_t n) {
  std::vector<Points> all;
  for (const int d : {2, 3}) {
    for (const auto& kind : all_clouds()) all.push_back(to_points(kind.make(n, d, 31), d));
    for (const auto& kind : float64_clouds()) all.push_back(to_points(kind.make(n, d, 31), d));
  }
  return all;
}

TEST_F(CudaIndexes, HaveTheSurveyAndTheFrameOfDataOnTheHost) {
  for (const std::int64_t n : {0, 1, 5, 300, 9000})
    for (const Points& whole : clouds_of_many_kinds(n))
      for (const bool some_are_invalid : {false, true}) {
        if (thinned_out()) continue;
        const Points cloud = some_are_invalid ? with_invalid(whole) : whole;
        Device device;
        const CloudOnDevice data(device, cloud);
        const cuda::DeviceIndex index(data.view(), {.invalid = InvalidPoints::skip});
        const problem::SurveyedData& got = index.data();
        const problem::PreparedData want(cloud, "data", InvalidPoints::skip, 1);
        ASSERT_EQ(got.survey.valid, want.survey.valid);
        ASSERT_EQ(got.survey.invalid, want.survey.invalid);
        ASSERT_EQ(got.survey.first_invalid, want.survey.first_invalid);
        ASSERT_EQ(got.survey.exact, want.survey.exact);
        ASSERT_EQ(got.survey.box.lo, want.survey.box.lo);
        ASSERT_EQ(got.survey.box.hi, want.survey.box.hi);
        ASSERT_EQ(got.frame.origin, want.frame.origin);
        ASSERT_EQ(got.frame.scale, want.frame.scale);
        ASSERT_EQ(got.box.lo, want.box.lo);
        ASSERT_EQ(got.box.hi, want.box.hi);
        ASSERT_EQ(got.grid.inv, want.grid.inv);
        for (int a = 0; a < 3; ++a) ASSERT_EQ(got.grid.lo[a], want.grid.lo[a]);
      }
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "done";
}

TEST_F(CudaIndexes, RefuseInvalidDataAsTheHostDoes) {
  for (const Points& cloud : {to_points(uniform(500, 3, 53), 3), to_points(fine(500, 2, 53), 2)}) {
    const Points invalid = with_invalid(cloud);
    Device device;
    const CloudOnDevice data(device, invalid);
    const std::string want = message_of([&] { Index index(invalid); });
    EXPECT_NE(want.find("points have NaN or infinite coordinates (first: 3)"), std::string::npos) << want;
    EXPECT_EQ(message_of([&] { DeviceIndex index(data.view()); }), want);
  }
}

TEST_F(CudaIndexes, RefuseWhatTheyCannotSearch) {
  Device device;
  const Points cloud = to_points(uniform(100, 3, 59), 3);
  const CloudOnDevice data(device, cloud), planar(device, to_points(uniform(100, 2, 59), 2));
  const RowsOnDevice rows(device, 100, 8);
  const DeviceNeighbors to = rows.to();
  const Index on_host(cloud);
  const DeviceIndex index(data.view());
  std::vector<std::int64_t> apart(100, -7);
  const auto d_near = device.upload(apart);
  apart.back() += std::int64_t{1} << 39;
  const auto d_apart = device.upload(apart);
  const std::span<const std::int64_t> numbers(apart), there(d_near.data(), apart.size()),
      too_far(d_apart.data(), apart.size());
  const DeviceIndex in_groups(data.view(), {.groups = there});
  const CloudOnDevice far(device, Points{2, Array<double>{1e160, 0}});
  const DeviceIndex wide(far.view());
  const std::string of_planar = "queries: points have 2 coordinates (data has 3)";
  const std::string of_k = "--k expects a whole number of at least 1, got '0'";
  const std::string nowhere = "no CUDA device (cuda:200 does not exis";
  const struct {
    std::function<void()> call;
    std::string message;  // how it begins
  } calls[] = {
      {[&] { on_host.queue_search(data.view(), to, {8}); }, "done"},
      {[&] { on_host.queue_search(planar.view(), to, {8}); }, of_planar},
      {[&] { on_host.queue_search(data.view(), to, {0}); }, of_k},
      {[&] {
         on_host.queue_search(data.view(), to, {8, nullptr, 200});
       },
       nowhere},
      {[&] { index.queue_search(data.view(), to, 8); }, "done"},
      {[&] { index.queue_search(planar.view(), to, 8); }, of_planar},
      {[&] { index.queue_search_self(to, 0); }, of_k},
      {[&] { DeviceIndex(data.view(), {.device = 200}); }, nowhere},
      {[&] { index.queue_search(cloud, to, 8); }, "queries: not in the memory of CUDA device 0"},
      {[&] { index.queue_search_self({}, 8); }, "results: not in the memory of CUDA device 0"},
      {[&] { in_groups.queue_search_self(to, 65); }, "in groups on a device, k is at most 64, got 65"},
      {[&] { in_groups.queue_search(data.view(), to, 8); }, "groups: the data have some, and the queries have none"},
      {[&] { in_groups.queue_search(data.view(), to, 8, nullptr, {}, there.first(99)); },
       "groups: 99 numbers for 100 points"},
      {[&] { in_groups.queue_search(data.view(), to, 8, nullptr, {}, numbers); },
       "groups: not in the memory of CUDA device 0"},
      {[&] { in_groups.queue_search(data.view(), to, 8, nullptr, {}, there); }, "done"},
      {[&] { index.queue_search(data.view(), to, 8, nullptr, {}, there); },
       "groups: the queries have some, and the data have none"},
      {[&] { DeviceIndex(data.view(), {.groups = too_far}); }, "groups: the numbers are 2^39 apart or more"},
      {[&] { DeviceIndex(data.view(), {.groups = numbers}); }, "groups: not in the memory of CUDA device 0"},
      {[&] { DeviceIndex(cloud, {.data_name = "cloud"}); }, "cloud: not in the memory of CUDA device 0"},
      {[&] { wide.queue_search_self(to, 8); },
       "data: coordinates of 10^153 and more cannot be searched on a device; scale them down"},
  };
  for (const auto& [call, message] : calls) EXPECT_EQ(message_of(call).substr(0, message.size()), message);
  cuda::check(cudaStreamSynchronize(nullptr), "the default stream");  // the searches that were not refused
}

TEST_F(CudaIndexes, OfOneOfTwoDevicesRefuseStreamsOfTheOther) {
  if (cuda::device_count() < 2) GTEST_SKIP() << "one GPU, two are needed";
  cudaStream_t elsewhere = nullptr;
  cuda::on_device(1, [&] { cuda::check(cudaStreamCreate(&elsewhere), "cudaStreamCreate"); });
  Device device;
  const Case c = cases(100, 0, 3, 61)[1];
  const CloudOnDevice data(device, c.data);
  const RowsOnDevice rows(device, 100, 8);
  const DeviceIndex index(data.view());
  const Index on_host(c.data);
  const std::string refused = "the stream is not one of CUDA device 0";
  EXPECT_EQ(message_of([&] { DeviceIndex(data.view(), {.stream = elsewhere}); }), refused);
  EXPECT_EQ(message_of([&] { index.queue_search(data.view(), rows.to(), 8, elsewhere); }), refused);
  EXPECT_EQ(message_of([&] { index.queue_search_self(rows.to(), 8, elsewhere); }), refused);
  EXPECT_EQ(message_of([&] { on_host.queue_search(data.view(), rows.to(), {8, elsewhere}); }), refused);
  EXPECT_EQ(rows_of(device, index, std::nullopt, 8).ids, brute_force(c, 8).ids);
  cuda::on_device(1, [&] { cuda::check(cudaStreamDestroy(elsewhere), "cudaStreamDestroy"); });
}

}  // namespace
}  // namespace kann::test
