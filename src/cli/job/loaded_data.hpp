// Clouds that are read into memory, and data that several jobs may search.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "kann/index.hpp"

#include "cli/options/options.hpp"
#include "cli/report/report.hpp"
#include "cli/terminal/progress_text.hpp"
#include "formats/table/read_request.hpp"

namespace kann::cli {

struct ReadCloud {
  Cloud cloud;
  double seconds = 0;  ///< time of reading
};

/// How many bytes of a file another thread has read so far.
class BytesRead {
 public:
  void set(std::uint64_t done, std::uint64_t total) { done_ = done, total_ = total; }
  Amount amount() const { return {static_cast<double>(done_), static_cast<double>(total_)}; }

 private:
  std::atomic<std::uint64_t> done_{0}, total_{0};
};

/// Calls formats::read_whole_cloud() and measures its time. Blocks; may be called on any thread.
ReadCloud read_cloud(const std::string& path, const formats::ReadRequest& options);

/// Whether both are regular files and memory suffices for both. Pipes are read one after the other: their writer may
/// begin the second after the first, and an error in the first must not wait for the second.
bool can_read_concurrently(const std::string& first, const std::string& second);

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
  LoadedData(const std::string& path, const formats::ReadRequest& options);
  LoadedData(const LoadedData&) = delete;
  LoadedData& operator=(const LoadedData&) = delete;

  /// Whether these are the data of `path`, and reading it again would give the same, or nothing: a FIFO can be read
  /// only once.
  bool is_still(const std::string& path) const {
    return path == facts.path && (!state_.is_known() || state_.is_same(FileState(path)));
  }
  /// Whether, in addition, they were read with the attributes that are wanted.
  bool is_still(const std::string& path, const formats::ReadRequest& wanted) const {
    return attributes_wanted_ == wanted.attributes && where_ == wanted.where.text &&
           all_attributes_wanted_ >= wanted.all_attributes && las_records_wanted_ >= wanted.las_records &&
           texts_wanted_ == wanted.texts && spelling_wanted_ == wanted.spelled &&
           coordinates_wanted_ == wanted.coordinates_too && is_still(path);
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
  std::string where_;
  bool all_attributes_wanted_, las_records_wanted_, texts_wanted_, spelling_wanted_, coordinates_wanted_;
  Cloud cloud_;
  mutable std::mutex mutex_;
  mutable std::optional<Index> index_;
  mutable std::optional<std::uint64_t> hash_;
};

}  // namespace kann::cli
