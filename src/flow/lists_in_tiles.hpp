// All neighbours within a radius, of clouds that do not fit in memory, or by several ranks.
//
// As in the search of the nearest (in_tiles.hpp), both clouds are divided into tiles. But the radius is known, so that
// a query is sent at once to all tiles that its ball reaches. Each tile is searched twice: the first time, neighbours
// are only counted, which says what the disk must hold and how many lists are put together at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "flow/file_search_report.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/placed_clouds.hpp"
#include "flow/rows/result_store.hpp"

namespace kann::flow {

/// What is known of the lists when their neighbours are counted, before any is listed.
struct CountedLists {
  std::int64_t neighbors;  ///< in all lists, at most
  bool is_exact;           ///< `neighbors` is their number
  double temporary_bytes;  ///< that the ranks of this host will have in temporary files for the lists
};

struct ListRequest {
  bool is_half = false;      ///< of each pair, only the neighbour with the larger number is listed
  bool counts_only = false;  ///< only the number of neighbours is wanted
  /// All ranks call it. It may throw, so that nothing is listed for which there is no room. May be empty.
  std::function<void(const CountedLists&)> on_counted{};
};

struct FileLists {
  std::unique_ptr<ResultStore> store;  ///< null if only their number was asked for
  std::int64_t neighbors = 0;          ///< in all lists
  FileSearchReport report;
};

/// Finds all data points within the radius of each query, byte for byte as kann::search_radius(). All ranks call it; it
/// blocks. `ranks` and the memory of the options must outlive the answer.
/// @throws Error bad_input, resources, no_device; what request.on_counted throws; and as Communicator::exchange().
FileLists lists_in_tiles(const PlacedClouds& clouds, const ListRequest& request, Communicator& ranks);

}  // namespace kann::flow
