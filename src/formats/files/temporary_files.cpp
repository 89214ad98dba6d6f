#include "formats/files/temporary_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "formats/files/descriptor.hpp"

namespace kann::formats {
namespace {

constexpr std::string_view k_mark = ".kann-";
constexpr std::size_t k_digits = 16;  // they are random: nobody gives a file such a name by chance

/// Whether the folder is on a file system that several machines mount, or that a program provides (FUSE).
bool may_be_shared(int folder) {
  // f_type of statfs(2): NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, Lustre, GPFS, AFS, Coda, OCFS2, GFS2
  constexpr std::uint32_t shared[] = {0x6969,     0x517b,     0xff534d42, 0xfe534d42, 0x65735546,
                                      0x01021997, 0x00c36400, 0x0bd00bd0, 0x47504653, 0x5346414f,
                                      0x73757245, 0x7461636f, 0x01161970};
  struct statfs status {};
  return fstatfs(folder, &status) != 0 ||
         std::ranges::find(shared, static_cast<std::uint32_t>(status.f_type)) != std::end(shared);
}

bool same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

void remove_if_left(int folder, const char* name) {
  const Descriptor file(openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat opened {
  }, named{};
  if (!file.is_open() || fstat(file.get(), &opened) != 0) return;
  if (!S_ISREG(opened.st_mode) || opened.st_uid != geteuid()) return;
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;  // its run lives, or there are no locks
  // The name may be another file's by now.
  if (fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && same_file(opened, named)) unlinkat(folder, name, 0);
}

void sweep(const std::filesystem::path& folder) {
  constexpr int k_max_names = 100'000;
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(opendir(folder.empty() ? "." : folder.c_str()), closedir);
  if (!handle || may_be_shared(dirfd(handle.get()))) return;
  for (int i = 0; i < k_max_names; ++i) {
    const dirent* const entry = readdir(handle.get());
    if (!entry) return;
    if (is_temporary_name(entry->d_name)) remove_if_left(dirfd(handle.get()), entry->d_name);
  }
}

}  // namespace

std::filesystem::path temporary_path(const std::filesystem::path& target, std::string_view ending) {
  std::random_device random;
  std::string digits;
  for (std::size_t word = 0; word < 2; ++word) digits += fmt::format("{:08x}", static_cast<std::uint32_t>(random()));
  // A name may have 255 bytes: a long one is cut, to leave space for what is added.
  return target.parent_path() /
         fmt::format(".{}{}{}.{}", target.filename().string().substr(0, 200), k_mark, digits, ending);
}

bool is_temporary_name(std::string_view name) {
  constexpr std::string_view ending = ".tmp";
  if (!name.starts_with('.') || !name.ends_with(ending)) return false;
  name.remove_suffix(ending.size());
  if (name.size() < 2 + k_mark.size() + k_digits) return false;
  const std::string_view digits = name.substr(name.size() - k_digits);
  name.remove_suffix(k_digits);
  return name.ends_with(k_mark) && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool lock_temporary(int fd) {
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) return errno != EWOULDBLOCK;
  struct stat status {};
  return fstat(fd, &status) != 0 || status.st_nlink > 0;
}

void sweep_temporaries(const std::filesystem::path& folder) noexcept {
  static std::mutex mutex;
  static std::filesystem::path before = "/";  // where nobody writes results
  try {
    {
      const std::lock_guard lock(mutex);
      if (folder == before) return;
      before = folder;
    }
    sweep(folder);
  } catch (const std::exception&) {  // no memory: the next run will do it
  }
}

}  // namespace kann::formats
