#include "formats/files/free_space.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "kann/error.hpp"

#include "base/host_memory.hpp"

namespace kann::formats {

std::optional<double> free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  const auto space = std::filesystem::space(folder.empty() ? "." : folder, error);
  return error ? std::nullopt : std::optional(static_cast<double>(space.available));
}

int obstacle_to_files(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path path = folder.empty() ? "." : folder;
  if (!std::filesystem::is_directory(path, error)) return error ? error.value() : ENOTDIR;
  return faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

bool are_on_one_disk(const std::filesystem::path& a, const std::filesystem::path& b) {
  struct stat of_a, of_b;
  return ::stat(a.empty() ? "." : a.c_str(), &of_a) == 0 && ::stat(b.empty() ? "." : b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev;
}

void check_temporary_folder(const std::string& folder, double bytes) {
  if (const int obstacle = obstacle_to_files(folder))
    throw Error(ErrorKind::resources, fmt::format("{}: {}; --temp-folder takes another folder",
                                                  folder.empty() ? "." : folder, std::strerror(obstacle)));
  const std::optional<double> left = free_bytes(folder);
  if (!left || *left >= bytes) return;
  throw Error(ErrorKind::resources,
              fmt::format("{}: temporary files need at least {}, {} are free; --temp-folder takes another folder",
                          folder.empty() ? "." : folder, base::bytes_text(bytes), base::bytes_text(*left)));
}

}  // namespace kann::formats
