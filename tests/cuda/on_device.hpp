// Clouds in the memory of a device, and the rows of searches there.
#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kann/device_index.hpp"

#include "clouds.hpp"
#include "cuda/gpu.hpp"
#include "cuda/same_bytes.hpp"
#include "problems.hpp"

namespace kann::test {

/// A copy of a cloud in the memory of the device.
class CloudOnDevice {
 public:
  CloudOnDevice(Device& device, const Points& cloud) {
    std::visit(
        [&](const auto& c) {
          using T = typename std::remove_cvref_t<decltype(c)>::value_type;
          std::get<cuda::Buffer<T>>(buffers_) = device.upload(std::vector<T>(c.begin(), c.end()));
          view_ =
              PointsView(cloud.dimensions, std::span<const T>(std::get<cuda::Buffer<T>>(buffers_).data(), c.size()));
        },
        cloud.coordinates);
  }

  const PointsView& view() const { return view_; }

 private:
  std::pair<cuda::Buffer<float>, cuda::Buffer<double>> buffers_;
  PointsView view_;
};

/// The rows of a search that is queued on the stream of `device`, for queries there or for the data themselves.
inline Neighbors rows_of(Device& device, const DeviceIndex& index, const std::optional<PointsView>& d_queries,
                         std::int64_t k) {
  const std::int64_t m = d_queries ? d_queries->size() : index.size();
  const auto d_ids = device.poisoned<std::int32_t>(m * k);
  const auto d_distances = device.poisoned<float>(m * k);
  const DeviceNeighbors to{d_ids.data(), d_distances.data()};
  if (d_queries)
    index.queue_search(*d_queries, to, k, device.stream());
  else
    index.queue_search_self(to, k, device.stream());
  const auto ids = device.download(d_ids);
  const auto distances = device.download(d_distances);
  return {m, k, {ids.begin(), ids.end()}, {distances.begin(), distances.end()}};
}

inline SearchOptions skipping(std::int64_t k) {
  SearchOptions options = exact(k);
  options.invalid = InvalidPoints::skip;
  return options;
}

/// The exact rows of a search that skips invalid points.
inline Neighbors brute_force(const Case& c, std::int64_t k) {
  const problem::Prepared prepared = c.prepare(skipping(k));
  return problem::restore_rows(plain_exact(prepared.problem), prepared, (c.queries ? *c.queries : c.data).size());
}

/// Every seventh point, and the last one, with a NaN or an infinite coordinate.
inline Points with_invalid(Points cloud) {
  const std::int64_t n = cloud.size();
  std::visit(
      [&](auto& c) {
        for (std::int64_t i = 0; i < n; ++i)
          if (i % 7 == 3 || i == n - 1) c[i * cloud.dimensions + i % cloud.dimensions] = i % 2 ? k_infinity : k_nan;
      },
      cloud.coordinates);
  return cloud;
}

}  // namespace kann::test
