#include "targets/memory_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

#include "targets/checks.hpp"

namespace kann::fuzz {

MemoryFile::MemoryFile() : fd_(memfd_create("cloud", MFD_CLOEXEC)) {
  char folder[] = "/tmp/kann-fuzz-XXXXXX";
  if (fd_ < 0 || !mkdtemp(folder)) report("a file in memory can be made", std::strerror(errno));
  folder_ = folder;
}

MemoryFile::~MemoryFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  close(fd_);
}

void MemoryFile::set_bytes(std::span<const std::uint8_t> bytes) {
  const auto size = static_cast<off_t>(bytes.size());
  if (ftruncate(fd_, size) != 0 || pwrite(fd_, bytes.data(), bytes.size(), 0) != size)
    report("the file in memory can be written", std::strerror(errno));
}

std::string MemoryFile::path(const std::string& extension) {
  std::string path = folder_ + "/cloud" + extension;
  // /proc/self/fd opens the file anew, from its beginning.
  if (symlink(("/proc/self/fd/" + std::to_string(fd_)).c_str(), path.c_str()) != 0 && errno != EEXIST)
    report("a link to the file in memory can be made", std::strerror(errno));
  return path;
}

}  // namespace kann::fuzz
