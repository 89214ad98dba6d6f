#include "cli/job/loaded_data.hpp"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "kann/compare.hpp"

#include "base/host_memory.hpp"
#include "base/seconds_since.hpp"
#include "formats/cloud_rows.hpp"
#include "formats/table/coordinate_system.hpp"

namespace kann::cli {
namespace {

/// The most memory that reading takes, in bytes per byte of the file: the four bytes "1 2\n" become two float64, in an
/// array that doubles when it is full.
constexpr double k_max_bytes_per_file_byte = 16;

/// The size in bytes; none if the file is not regular.
std::optional<double> regular_size(const std::string& path) {
  std::error_code error;
  if (path == "-" || !std::filesystem::is_regular_file(path, error)) return std::nullopt;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? std::nullopt : std::optional(static_cast<double>(size));
}

}  // namespace

ReadCloud read_cloud(const std::string& path, const formats::ReadRequest& options) {
  const auto start = std::chrono::steady_clock::now();
  ReadCloud read{formats::read_whole_cloud(path, options), 0};
  read.seconds = base::seconds_since(start);
  return read;
}

bool can_read_concurrently(const std::string& first, const std::string& second) {
  const auto a = regular_size(first), b = regular_size(second);
  return a && b && (*a + *b) * k_max_bytes_per_file_byte < static_cast<double>(base::available_host_memory());
}

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

LoadedData::LoadedData(const std::string& path, const formats::ReadRequest& options)
    : state_(path),
      attributes_wanted_(options.attributes),
      where_(options.where.text),
      all_attributes_wanted_(options.all_attributes),
      las_records_wanted_(options.las_records),
      texts_wanted_(options.texts),
      spelling_wanted_(options.spelled),
      coordinates_wanted_(options.coordinates_too) {
  ReadCloud read = read_cloud(path, options);
  read_seconds = read.seconds;
  warnings = std::move(read.cloud.warnings);
  cloud_ = std::move(read.cloud);
  facts = {
      path, cloud_.points.size(), cloud_.points.dimensions, cloud_.columns, {}, formats::system_text(cloud_.system)};
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
