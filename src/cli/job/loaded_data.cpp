#include "cli/job/loaded_data.hpp"

#include <utility>

#include "kann/compare.hpp"

namespace kann::cli {

FileState::FileState(const std::string& path) {
  struct stat status {};
  if (path != "-" && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) status_ = status;
}

bool FileState::is_same(const FileState& other) const {
  if (!status_ || !other.status_) return false;
  const auto &a = *status_, &b = *other.status_;
  const auto same = [](const timespec& x, const timespec& y) { return x.tv_sec == y.tv_sec && x.tv_nsec == y.tv_nsec; };
  // A writer may set back the modification time of the content, but not the change time of the inode
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && same(a.st_mtim, b.st_mtim) &&
         same(a.st_ctim, b.st_ctim);
}

LoadedData::LoadedData(const std::string& path, const ReadOptions& options)
    : state_(path),
      attributes_wanted_(options.attributes),
      all_attributes_wanted_(options.all_attributes),
      las_records_wanted_(options.las_records) {
  ReadCloud read = read_cloud(path, options);
  read_seconds = read.seconds;
  warnings = std::move(read.cloud.warnings);
  cloud_ = std::move(read.cloud);
  facts = {path, cloud_.points.size(), cloud_.points.dimensions, std::move(cloud_.columns)};
}

const Index& LoadedData::index(const IndexOptions& options) const {
  const std::lock_guard lock(mutex_);
  if (!index_) index_.emplace(cloud_.points, options);
  return *index_;
}

std::uint64_t LoadedData::hash(int threads) const {
  const std::lock_guard lock(mutex_);
  if (!hash_) hash_ = coordinates_hash(cloud_.points, 0, threads);
  return *hash_;
}

}  // namespace kann::cli
