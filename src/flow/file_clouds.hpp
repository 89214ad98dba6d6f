// The clouds of a search from files, whose points come in blocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/query_grid.hpp"
#include "kann/search.hpp"

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/rows/found.hpp"
#include "flow/sources/point_source.hpp"
#include "flow/tile_memory.hpp"
#include "formats/table/read_request.hpp"

namespace kann::flow {

struct FileRequest {
  Communicator& ranks;  ///< that search together; must outlive the search
  std::string data;
  std::optional<std::string> query;  ///< none: a self-query, or the cells of a grid
  std::optional<double> grid_step;
  std::optional<QueryGrid> grid;  ///< the grid, where it is known that the search of its cells does not fit in memory
  formats::ReadRequest of_data, of_query;
  SearchOptions search;
  std::optional<double> budget;        ///< bytes of host memory of a rank; none: what is available
  std::optional<std::int64_t> judged;  ///< queries that Answer::verify() is to judge, 0: all; none: it is not called
  Finds finds = Finds::rows;           ///< which of FileSearch::run(), list() and cluster() will be called
  /// Whether the rows are only written, to their places in a file, and no other search waits for the device or memory.
  bool only_writes_rows = false;
  std::string only_in_memory;  ///< "--mutual is": what cannot be made in tiles, and by several ranks; or ""
  ProductShape products;
  std::string folder;  ///< where temporary files go
};

struct FileClouds {
  std::unique_ptr<CloudSource> data, query;  ///< no `query`: a self-query
  std::optional<QueryGrid> grid;
  std::vector<std::string> warnings;  ///< what read_points() warns of in both files, those of the data first
  std::string obstacle;               ///< why a file can only be read as a whole: there are no points then; or ""
  std::vector<std::pair<std::string, std::filesystem::file_time_type>> written;  ///< when the files were, before

  const CloudSource& queries() const { return query ? *query : *data; }

  /// @throws Error bad_input: a file was written to since it was opened.
  void check_unchanged() const;
};

/// Opens the files, whose heads it reads. With a grid, all of the data are read once, unless it is given. All ranks
/// call it; it blocks. @param memory is charged with blocks, and must outlive the clouds
/// @throws Error as read_points(); bad_input: the ranks see different files, or the clouds do not go together.
FileClouds open_clouds(const FileRequest& request, base::MemoryBudget& memory);

}  // namespace kann::flow
