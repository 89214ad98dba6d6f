// Data in memory that several jobs may search.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "kann/index.hpp"

#include "cli/job/read_cloud.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"

namespace kann::cli {

/// The state of a file at one time: if it is still the same later, nobody has written to the file in between.
class FileState {
 public:
  /// Looks at a path. The state of standard input and of files that are not regular is unknown.
  explicit FileState(const std::string& path);

  /// Whether both states are known and equal.
  bool is_same(const FileState& other) const;

  /// Whether it was a regular file.
  bool is_known() const { return status_.has_value(); }

 private:
  std::optional<struct stat> status_;
};

class LoadedData {
 public:
  /// Reads the cloud. Blocks. @throws Error as read_points().
  LoadedData(const std::string& path, const ReadOptions& options);
  LoadedData(const LoadedData&) = delete;
  LoadedData& operator=(const LoadedData&) = delete;

  /// Whether these are the data of `path`, and reading it again would give the same, or nothing: a FIFO can be read
  /// only once.
  bool is_still(const std::string& path) const {
    return path == facts.path && (!state_.is_known() || state_.is_same(FileState(path)));
  }
  /// Whether, in addition, they were read with the attributes that are wanted.
  bool is_still(const std::string& path, const ReadOptions& wanted) const {
    return attributes_wanted_ == wanted.attributes && all_attributes_wanted_ >= wanted.all_attributes &&
           las_records_wanted_ >= wanted.las_records && is_still(path);
  }

  /// The index that all searches of these data share, made by the first search. May be called by several threads.
  /// Blocks.
  /// @throws Error as kann::Index.
  const Index& index(const IndexOptions& options) const;

  /// coordinates_hash() of the points, computed once. May be called by several threads. Blocks.
  std::uint64_t hash(int threads) const;

  const Points& points() const { return cloud_.points; }
  const Cloud& cloud() const { return cloud_; }

  double read_seconds = 0;
  CloudFacts facts;
  std::vector<std::string> warnings;  ///< warnings of reading

 private:
  FileState state_;  // taken before the file was read
  std::vector<std::string> attributes_wanted_;
  bool all_attributes_wanted_, las_records_wanted_;
  Cloud cloud_;
  mutable std::mutex mutex_;
  mutable std::optional<Index> index_;
  mutable std::optional<std::uint64_t> hash_;
};

}  // namespace kann::cli
