// Data that are in the memory of a CUDA device, and are searched there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "kann/index.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

namespace kann {

/// The groups of points, such as the clouds of a batch: a number for each point, in the memory of the device.
using DeviceGroups = std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>>;

struct DeviceIndexOptions {
  CUstream_st* stream = nullptr;  ///< a cudaStream_t after whose work the data are complete; null: the default stream
  int device = 0;                 ///< number of the CUDA device that has the data
  InvalidPoints invalid = InvalidPoints::error;  ///< for data
  std::optional<DeviceGroups> groups = {};  ///< of the data, which are complete as these: only points with the number
                                            ///< of a query are its neighbours. The numbers are less than 2³⁹ apart.
  std::string data_name = "data";  ///< name of the data in messages
};

/// n points in the memory of a CUDA device, ready for exact searches whose queries and rows are there, too. No point is
/// copied to the host, except a sample of 4,096. The first search orders the data and computes boxes over them, and
/// later searches reuse both. They take up to 50 bytes per point on the device, or 120 if float32 does not hold the
/// coordinates of the data or of queries. A search of at most 64 neighbours in data that fill their box evenly puts
/// them into cells, each time, which takes up to 45 bytes per point and 150 per query; that memory is kept for
/// later searches, and a 64th of all memory of the device until the process ends. Rows are those of kann::search() and
/// kann::search_self() with Method::exact, byte for byte. All functions may be called by several threads at once.
class DeviceIndex {
 public:
  /// Checks the data and chooses their frame, after the work that is already in the stream. Blocks. Keeps the view: the
  /// data must live, and stay as they are, as long as the index.
  /// @param data coordinates in the memory of the device
  /// @throws Error usage (too many points, numbers of groups that are too far apart), bad_input (invalid points,
  ///         dimensions, memory that is not the device's, not a number for each point), resources (device memory),
  ///         no_device.
  explicit DeviceIndex(const PointsView& data, const DeviceIndexOptions& options = {});
  /// Blocks until the searches that the index has queued are done; but not for those on the stream of the data, where
  /// its memory is released after them, so that the data must live as long as these.
  ~DeviceIndex();
  DeviceIndex(DeviceIndex&&) noexcept;
  DeviceIndex& operator=(DeviceIndex&&) noexcept;

  /// Queues the search for the k nearest neighbours of m queries on the caller's stream, and does not wait for it. The
  /// search runs after the work that is already in the stream, and before what is queued later. Only the first search,
  /// and the first one with float64 queries, blocks until the data are in order; later ones may be recorded into a CUDA
  /// graph, which must not be launched after the index is destroyed. A query with a coordinate that is not
  /// finite, or not below 2⁵⁰⁹, has k missing neighbours. Queries, results and stream must live until the queued work
  /// is done.
  /// @param queries m points in the memory of the device @param neighbors m × k
  /// @param k neighbours per query, minimum 1 @param stream a cudaStream_t of the device; null: the default stream
  /// @param radius as SearchOptions::radius
  /// @param groups a number for each query, if the data are in groups; k is at most 64 then
  /// @throws Error usage (k, radius; a stream that is recorded before the data are in order), bad_input (dimensions,
  ///         too many queries, memory that is not the device's, data that are not below 2⁵⁰⁹, groups of the data or of
  ///         the queries alone), resources (device memory). An error in queued work is reported by the stream's next
  ///         synchronisation, as with CUDA's own functions.
  void queue_search(const PointsView& queries, const DeviceNeighbors& neighbors, std::int64_t k,
                    CUstream_st* stream = nullptr, std::optional<double> radius = {},
                    const std::optional<DeviceGroups>& groups = {}) const;

  /// As queue_search(), with the data as the queries: n × k neighbours, of which none is the point itself. An invalid
  /// point, if these are skipped, has k missing neighbours.
  void queue_search_self(const DeviceNeighbors& neighbors, std::int64_t k, CUstream_st* stream = nullptr,
                         std::optional<double> radius = {}) const;

  /// Queues the search for all neighbours within `radius` of m queries, or of the data without the points themselves,
  /// as queue_search() does. The rows are those of kann::search_radius(), byte for byte; an invalid query has an empty
  /// one. For arrays of the size that is needed: a search with no capacity counts, begins[m] is copied to the host, and
  /// a second one has are_counted. The search takes 16 bytes per neighbour, and 4 per query.
  /// @throws as queue_search(); Error usage (radius).
  void queue_lists(const std::optional<PointsView>& queries, const DeviceLists& lists, double radius,
                   CUstream_st* stream = nullptr, const std::optional<DeviceGroups>& groups = {}) const;

  std::int64_t size() const;  ///< n, including invalid points
  int dimensions() const;     ///< 2 or 3

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann
