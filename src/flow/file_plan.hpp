// Whether a search is made from files, and how.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kann/io.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "base/memory_budget.hpp"
#include "flow/file_clouds.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/rows/found.hpp"
#include "flow/tile_memory.hpp"
#include "search/devices/device_choice.hpp"

namespace kann::flow {

/// What the heads of the files of a search tell, before anything else in them is read.
struct FileHeads {
  std::optional<Cloud> data = {}, query = {};  ///< without rows; none where the head does not say it, and of no file
  bool have_places = false;                    ///< they say where all points are, as formats::RowsInHead has it
  bool are_estimated = false;                  ///< some do not say how many points there are
};

/// Bytes of memory that a GPU has at least.
inline constexpr double k_least_device = 2e9;

/// Whether so many rows of k neighbours take 250 MB. If they are only written, they are searched in pieces, where a
/// search can be made so: some are written while others are found.
inline bool are_many_rows(std::int64_t queries, std::int64_t k) {
  return found_bytes(static_cast<double>(queries), static_cast<double>(k)) >= 2.5e8;
}

/// Whether the files are so small that the search fits in memory whatever is in them. Most are, and need not be looked
/// at twice. With a budget, none is: the size of a file does not say how much is compressed in it, or how many cells a
/// grid has.
bool are_surely_small(const FileRequest& request, double host);

/// Looks at the heads, and refuses what the search would refuse of them. Blocks.
/// @throws Error as formats::rows_in_head(); bad_input, usage: the clouds, or an option, do not go together.
FileHeads look_at_heads(const FileRequest& request);

/// The shape of the search as the heads tell it, with the size of a file in place of a number of points that its head
/// does not have, and as many cells in a grid as there are data points. None if they do not tell it. Blocks.
std::optional<SearchShape> shape_of_heads(const FileRequest& request);

struct FilePlan {
  Communicator* ranks;                         ///< that search together; must outlive the search
  std::unique_ptr<base::MemoryBudget> memory;  ///< before what is charged to it
  FileClouds clouds;
  FileSearchOptions options;
  ProductShape products;
  bool is_in_pieces = false;  ///< the queries are searched in pieces, in data that are not divided; otherwise in tiles
  detail::DeviceForParts device = {};  ///< that the plan is made for, if the options left a choice
};

/// What plan_files() will find, as far as the heads of the files say it.
struct SearchOutline {
  FileHeads heads;
  std::optional<SearchShape> shape = {};      ///< none: they do not say how many points there are, as of a stream
  std::optional<FileSearchSizes> sizes = {};  ///< of a search in tiles or pieces; none: in memory
  std::int64_t tiles = 0;                     ///< if it is in tiles: the fewest; a crowded one is divided
  std::int64_t pieces = 0;                    ///< if it is in pieces
  double bytes = 0;                           ///< of memory that it takes, at most; 0 without a shape
  double budget = 0;                          ///< bytes of memory that it may take
  double temporary_bytes = 0;          ///< about what tiles take on the disk; 0 for lists, which are counted first
  detail::DeviceForParts device = {};  ///< FilePlan::device
};

/// Looks at the heads of the files alone, and decides as plan_files() does: with the numbers that text and NPZ do not
/// have in their heads estimated, and with as many cells in a grid as there are data points. For a single process.
/// Blocks. @throws Error as plan_files().
SearchOutline outline_search(const FileRequest& request);

/// Looks at the heads of the files, and over all of the data if the queries are the cells of a grid over them.
/// Returns nothing where this process is alone, and the search fits in memory or, without a budget, nothing says how
/// much it takes or it cannot be made from files. All ranks call it; it blocks.
/// @throws Error resources: it takes more than the budget or, of a shifted sort, than there is, and cannot be made from
///         files, or not in so little; usage: several ranks cannot make it; and as open_clouds().
std::optional<FilePlan> plan_files(const FileRequest& request);

/// Refuses a search of clouds that are in memory if it takes more than the budget: those from streams and compressed
/// files, of whose points nothing says before how many there are. Returns what it takes, in bytes.
/// @param queries none: a self-query
/// @throws Error resources.
double checked_bytes_in_memory(const PointsView& data, const PointsView* queries, const SearchOptions& search,
                               const ProductShape& products, double budget, Finds finds = Finds::rows);

}  // namespace kann::flow
