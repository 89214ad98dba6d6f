// Whether a folder has room for files, before work that would fail in its midst.
#pragma once

#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <system_error>

namespace kann::formats {

/// Bytes that are free in a folder ("": the current one); none if the system does not say.
inline std::optional<double> free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  const auto space = std::filesystem::space(folder.empty() ? "." : folder, error);
  return error ? std::nullopt : std::optional(static_cast<double>(space.available));
}

/// Whether files in both folders take the same space.
inline bool are_on_one_disk(const std::filesystem::path& a, const std::filesystem::path& b) {
  struct stat of_a, of_b;
  return ::stat(a.empty() ? "." : a.c_str(), &of_a) == 0 && ::stat(b.empty() ? "." : b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev;
}

}  // namespace kann::formats
