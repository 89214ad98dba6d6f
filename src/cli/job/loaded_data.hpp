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

/// What a file was when it was looked at: the same means that nobody has written to it since.
class FileState {
 public:
  /// Of a path; nothing is known of standard input and of files that are not regular.
  explicit FileState(const std::string& path);

  /// Whether both are known and the same.
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

  /// Whether reading the path again would give the same, or nothing: a FIFO is read once.
  bool is_still(const std::string& path) const {
    return path == facts.path && (!state_.is_known() || state_.is_same(FileState(path)));
  }
  /// Whether they also have the attributes that are wanted.
  bool is_still(const std::string& path, const ReadOptions& wanted) const {
    return attributes_wanted_ == wanted.attributes && all_attributes_wanted_ >= wanted.all_attributes &&
           las_records_wanted_ >= wanted.las_records && is_still(path);
  }

  /// The index that all searches of these data share, made by the first. May be called by several threads. Blocks.
  /// @throws Error as kann::Index.
  const Index& index(const IndexOptions& options) const;

  /// coordinates_hash() of the points, made once. May be called by several threads. Blocks.
  std::uint64_t hash(int threads) const;

  const Points& points() const { return cloud_.points; }
  const Cloud& cloud() const { return cloud_; }

  double read_seconds = 0;
  CloudFacts facts;
  std::vector<std::string> warnings;  ///< of reading

 private:
  FileState state_;  // before it was read
  std::vector<std::string> attributes_wanted_;
  bool all_attributes_wanted_, las_records_wanted_;
  Cloud cloud_;
  mutable std::mutex mutex_;
  mutable std::optional<Index> index_;
  mutable std::optional<std::uint64_t> hash_;
};

}  // namespace kann::cli
