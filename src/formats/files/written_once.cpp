#include "formats/files/written_once.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <thread>

#include "formats/files/atomic_file.hpp"

namespace kann::formats {
namespace {

/// Waits while another thread or process publishes to the folder, which takes some milliseconds. If the file system has
/// no locks, or a lock is stuck, this process publishes nevertheless.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder)
      : folder_(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    constexpr int most = 10'000;  // tries, a millisecond apart
    for (int i = 0; folder_.is_open() && i < most && flock(folder_.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  Descriptor folder_;
};

void publish_pair(OutputFile& first, OutputFile& second) {
  auto* const a = dynamic_cast<AtomicFile*>(&first);
  auto* const b = dynamic_cast<AtomicFile*>(&second);
  if (!a || !b) {  // a device or a FIFO has no old content
    second.publish();
    return first.publish();
  }
  const FolderLock folder_lock(a->folder());
  a->remove_old();
  b->rename_to_target();
  try {
    a->publish();
  } catch (const OutputNotSynced&) {
    throw;
  } catch (...) {
    b->remove_target();
    throw;
  }
}

}  // namespace

void WrittenOnce::write_whole(const std::function<void()>& write) {
  if (has_failed_ || is_complete_)
    throw Error(ErrorKind::internal,
                file->name() + (is_complete_ ? ": written to after the whole result" : ": written to after a failure"));
  has_failed_ = true;
  write();
  has_failed_ = false;
  is_complete_ = true;
}

void WrittenOnce::write_with_progress(const std::function<void()>& write) {
  std::function<void()> report = nullptr;
  if (on_progress)
    report = [this, owner = std::this_thread::get_id()] {
      if (std::this_thread::get_id() != owner) return;
      on_progress(file->written() + (second ? second->written() : 0),
                  file->expected() + (second ? second->expected() : 0));
    };
  const auto report_to = [this](const std::function<void()>& to) {
    file->report_progress(to);
    if (second) second->report_progress(to);
  };
  report_to(report);
  write_whole(write);
  report_to(nullptr);
}

void WrittenOnce::commit() {
  if (!is_complete_) throw Error(ErrorKind::internal, file->name() + ": committed before it was written");
  file->finish();
  if (!second) return file->publish();
  second->finish();
  publish_pair(*file, *second);
}

}  // namespace kann::formats
