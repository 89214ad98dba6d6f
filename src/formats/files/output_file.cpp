#include "formats/files/output_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "kann/error.hpp"

#include "formats/files/atomic_file.hpp"
#include "formats/files/descriptor.hpp"
#include "formats/files/free_space.hpp"

namespace kann::formats {
namespace {

[[noreturn]] void fail(const std::string& name, int error) {
  throw Error(ErrorKind::resources, name + ": " + std::strerror(error));
}

constexpr const char* k_stdout = "stdout";
constexpr std::size_t k_copied_at_once = std::size_t{4} << 20;

class Stream final : public OutputFile {
 public:
  Stream(std::string name, Descriptor file) : name_(std::move(name)), file_(std::move(file)) {}

  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const auto chunk = bytes.first(std::min(k_copied_at_once, bytes.size()));
      const int error = write_all(file_.get(), chunk);
      if (error == EPIPE && name_ == k_stdout) throw ReaderGone(name_ + ": " + std::strerror(error));
      if (error) fail(name_, error);
      count(chunk.size());
      bytes = bytes.subspan(chunk.size());
    }
  }
  void finish() override {
    if (const int error = file_.close()) fail(name_, error);
  }
  void publish() override {}
  bool is_stream() const override { return true; }
  const std::string& name() const override { return name_; }

 private:
  std::string name_;
  Descriptor file_;
};

/// Standard output on a duplicated descriptor, so that closing it reports late errors (a full remote disk) and leaves
/// standard output open. If that was closed, main() has put something in its place that cannot be written.
std::unique_ptr<OutputFile> open_stdout() {
  Descriptor file(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  if (!file.is_open()) fail(k_stdout, errno);
  if ((fcntl(file.get(), F_GETFL) & O_ACCMODE) == O_RDONLY) throw ReaderGone(std::string(k_stdout) + ": closed");
  return std::make_unique<Stream>(k_stdout, std::move(file));
}

std::unique_ptr<OutputFile> open_device(const std::string& path) {
  Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) fail(path, errno);
  return std::make_unique<Stream>(path, std::move(file));
}

bool is_stdout(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

/// Where the bytes of an output go that is not standard output.
struct Target {
  std::filesystem::path path = {};      ///< of a file, behind all links; empty: they go to a device or a pipe
  std::optional<mode_t> old_mode = {};  ///< permissions of the file, if it exists
};

Target target_of(const std::string& path) {
  Target target;
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return target;
    target.old_mode = status.st_mode & 0777;
  } else if (errno != ENOENT || std::filesystem::path(path).filename().empty()) {
    fail(path, errno);
  }
  target.path = follow_links(path);
  const std::filesystem::path folder = target.path.parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::exists(folder, error) && !error)
    throw Error(ErrorKind::resources,
                path + ": " + std::strerror(ENOENT) + "; make the folder " + folder.string() + " first");
  return target;
}

}  // namespace

std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int k_max_links = 40;  // the kernel's limit
  std::error_code ignored;
  for (int i = 0; i < k_max_links && std::filesystem::is_symlink(path, ignored); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, ignored);
  return path;
}

std::unique_ptr<OutputFile> open_output(const std::string& path, bool replace) {
  if (is_stdout(path)) return open_stdout();
  Target target = target_of(path);
  if (target.path.empty()) return open_device(path);
  if (target.old_mode && !replace) refuse_to_replace(path);
  return std::make_unique<AtomicFile>(path, std::move(target.path), target.old_mode, replace);
}

void check_output_path(const std::string& path) {
  if (is_stdout(path)) return;
  const Target target = target_of(path);
  std::error_code ignored;
  if (!target.path.empty()) {
    if (const int obstacle = obstacle_to_files(target.path.parent_path())) fail(path, obstacle);
  } else if (std::filesystem::is_directory(path, ignored)) {
    fail(path, EISDIR);
  } else if (faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) {
    fail(path, errno);
  }
}

}  // namespace kann::formats
