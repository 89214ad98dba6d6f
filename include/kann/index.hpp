// Data that are searched many times: what a search needs of them is made once and kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kann/points.hpp"
#include "kann/search.hpp"

namespace kann {

struct IndexOptions {
  InvalidPoints invalid = InvalidPoints::error;  ///< of the data; SearchOptions::invalid is for the queries
  int threads = 0;                               ///< CPU threads; 0: all of the machine
  std::string data_name = "data";  ///< name of the data in messages, in the place of SearchOptions::data_name
};

/// n points, ready to be searched. The first search that needs an order of the data, or boxes over it, makes it, and
/// later ones find it: on a CPU, up to 160 bytes per point, 240 if float32 does not hold the coordinates. A CUDA device
/// is sent the data for each search. The answers are those of kann::search(), byte for byte. All functions may be
/// called by several threads at once.
class Index {
 public:
  /// Checks the data and chooses their frame. Keeps the view: its memory must outlive the index. Blocks.
  /// @throws Error usage (too many points), bad_input (invalid points, dimensions), resources (memory).
  explicit Index(const PointsView& data, const IndexOptions& options = {});
  explicit Index(Points&&, const IndexOptions& = {}) = delete;  // nothing would own the points
  ~Index();
  Index(Index&&) noexcept;
  Index& operator=(Index&&) noexcept;

  /// As kann::search(): m queries, m rows. Blocks. @throws as that.
  SearchResult search(const PointsView& queries, const SearchOptions& options = {}) const;

  /// As kann::search_self(). Blocks. @throws as that.
  SearchResult search_self(const SearchOptions& options = {}) const;

  std::int64_t size() const;  ///< n, with invalid points
  int dimensions() const;     ///< 2 or 3

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann
