#include "cli/job/read_cloud.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "base/host_memory.hpp"
#include "base/seconds_since.hpp"

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

ReadCloud read_cloud(const std::string& path, const ReadOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  ReadCloud read{read_points(path, options), 0};
  read.seconds = base::seconds_since(start);
  return read;
}

bool can_read_concurrently(const std::string& first, const std::string& second) {
  const auto a = regular_size(first), b = regular_size(second);
  return a && b && (*a + *b) * k_max_bytes_per_file_byte < static_cast<double>(base::available_host_memory());
}

}  // namespace kann::cli
