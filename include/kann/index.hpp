// Data that are searched many times: what a search needs of them is made once and kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kann/points.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

struct CUstream_st;  // cudaStream_t points to it

namespace kann {

struct IndexOptions {
  InvalidPoints invalid = InvalidPoints::error;  ///< for data; SearchOptions::invalid is for queries
  int threads = 0;                               ///< CPU threads; 0: all of the machine
  std::string data_name = "data";                ///< name of the data in messages, instead of SearchOptions::data_name
};

/// Results on a CUDA device: m × k each, as in Neighbors.
struct DeviceNeighbors {
  std::int32_t* ids = nullptr;
  float* distances = nullptr;
};

/// A search whose queries and results are on a CUDA device.
struct DeviceSearch {
  std::int64_t k = 8;                 ///< neighbours per query, minimum 1
  CUstream_st* stream = nullptr;      ///< a cudaStream_t of the device; null: the default stream
  int device = 0;                     ///< number of the CUDA device
  std::optional<double> radius = {};  ///< as SearchOptions::radius
};

/// n points, ready to be searched. The first search that needs an order of the data, or boxes over it, computes them,
/// and later searches reuse them. They take up to 160 bytes per point on a CPU, 240 if float32 does not hold the
/// coordinates; on a CUDA device, where the data stay, up to 130, or 190. Data that do not lie within one periodic box
/// are kept a second time, for the box that was searched last; so are, at 24 bytes per point more, those of searches on
/// the sky. The answers are those of kann::search(), byte for byte. All functions may be called by several threads at
/// once.
class Index {
 public:
  /// Checks the data and chooses their frame. Keeps the view: its memory must outlive the index. Blocks.
  /// @throws Error usage (too many points), bad_input (invalid points, dimensions), resources (memory).
  explicit Index(const PointsView& data, const IndexOptions& options = {});
  explicit Index(Points&&, const IndexOptions& = {}) = delete;  // nothing would own the points
  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  /// Does what kann::search() does: m queries, m rows. Blocks. @throws as kann::search().
  SearchResult search(const PointsView& queries, const SearchOptions& options = {}) const;

  /// Does what kann::search_self() does. Blocks. @throws as kann::search_self().
  SearchResult search_self(const SearchOptions& options = {}) const;

  /// Do what the functions of these names in kann/radius.hpp do. Block. @throws as these.
  RadiusResult search_radius(const PointsView& queries, const SearchOptions& options) const;
  RadiusResult search_radius_self(const SearchOptions& options) const;
  RadiusResult count_radius(const PointsView& queries, const SearchOptions& options) const;
  RadiusResult count_radius_self(const SearchOptions& options) const;

  /// Queues the exact search of m queries on the caller's stream. The queries are in the memory of a CUDA device, and
  /// the rows stay there. The search runs after the work that is already in the stream, and before what is queued
  /// later. The call copies nothing to the host and does not wait, except that the first search on a device uploads and
  /// orders the data, and blocks until that is done. The rows are those of Method::exact; a query with a coordinate
  /// that is not finite, or not below 2⁵⁰⁹, has k missing neighbours. Queries, results, stream and index must live
  /// until the queued work is done.
  /// @throws Error usage (k, radius), bad_input (dimensions, too many queries), resources (device memory), no_device.
  /// An error
  ///         in queued work is reported by the stream's next synchronisation, as with CUDA's own functions.
  void queue_search(const PointsView& queries, const DeviceNeighbors& neighbors, const DeviceSearch& search) const;

  std::int64_t size() const;  ///< n, including invalid points
  int dimensions() const;     ///< 2 or 3

  struct State;  // defined in the source file

 private:
  std::unique_ptr<State> state_;
};

}  // namespace kann
