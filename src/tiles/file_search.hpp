// A search from files, in tiles where it does not fit in memory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kann/io.hpp"
#include "kann/search.hpp"

#include "tiles/exact.hpp"
#include "tiles/file_source.hpp"

namespace kann::tiles {

struct FileRequest {
  std::string data;
  std::optional<std::string> query;  ///< none: a self-query
  ReadOptions of_data, of_query;
  SearchOptions search;
  std::optional<double> budget;  ///< bytes of host memory; none: what is available
  bool is_result_alone = true;   ///< whether nothing but the rows is wanted
  std::string folder;            ///< of temporary files
};

class FileSearch {
 public:
  /// Looks at the heads of the files. Nothing where the search fits in memory, and, without a budget, where nothing
  /// says how much it takes or it cannot be made in tiles. Blocks.
  /// @throws Error resources: it takes more than the budget, and cannot be made in tiles, or not in so little; and as
  ///         read_points().
  static std::optional<FileSearch> plan(const FileRequest& request);

  std::int64_t data_size() const { return data_->size(); }
  std::int64_t query_size() const { return query_ ? query_->size() : data_->size(); }
  int dimensions() const { return data_->dimensions(); }
  const std::vector<std::string>& data_columns() const { return data_columns_; }
  const std::vector<std::string>& query_columns() const { return query_columns_; }

  /// Searches; blocks. @throws Error of any kind.
  SearchReport run(const SearchOptions& search);

  const TileReport& report() const { return answer_->report; }

  /// The result of run(), as long as this object is where it is.
  RowBlocks rows() const;

 private:
  FileSearch() = default;

  std::unique_ptr<FileSource> data_, query_;
  std::vector<std::string> data_columns_, query_columns_;
  std::vector<std::pair<std::string, std::filesystem::file_time_type>> written_;  ///< when the files were, before
  TileOptions options_;
  std::unique_ptr<TileAnswer> answer_;
};

}  // namespace kann::tiles
