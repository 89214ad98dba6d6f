#include "formats/files/publish_pair.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <thread>

#include "formats/files/atomic_file.hpp"

namespace kann::formats {
namespace {

constinit std::timed_mutex pairs;

/// A step that failed: for which file, and with which error. Error 0: no step failed.
struct Step {
  const AtomicFile* file = nullptr;
  int error = 0;
};

/// Waits while another process publishes to the folder, which takes some milliseconds. If the file system has no locks,
/// or a lock is stuck, this process publishes nevertheless.
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

/// Changes the names. Until the folder is synced, a power failure may undo changes in any order: so the old names are
/// removed from the medium before the new ones can be there.
Step change_names(AtomicFile& first, AtomicFile& second) {
  if (const int error = first.set_old_aside()) return {&first, error};
  if (const int error = second.set_old_aside()) return {&second, error};
  if (!first.aside().empty() || !second.aside().empty())
    if (const int error = first.sync_folder()) return {&first, error};
  if (const int error = second.rename_to_target()) return {&second, error};
  if (const int error = first.rename_to_target()) return {&first, error};
  return {};
}

/// Brings the old files back. Returns what has become of them, for the error message.
std::string restore(AtomicFile& first, AtomicFile& second) {
  const bool had_old = first.keeps_old() || second.keeps_old() || !first.aside().empty() || !second.aside().empty();
  std::string kept;
  for (AtomicFile* const file : {&second, &first})  // the first appears last
    if (file->restore_old() != 0) kept += (kept.empty() ? "" : ", ") + file->aside().string();
  if (kept.empty()) return had_old ? " (old file kept)" : "";
  return " (old file kept as " + kept + ")";
}

}  // namespace

std::unique_lock<std::timed_mutex> hold_pairs(std::chrono::milliseconds most) { return {pairs, most}; }

void publish_pair(OutputFile& first, OutputFile& second) {
  auto* const a = dynamic_cast<AtomicFile*>(&first);
  auto* const b = dynamic_cast<AtomicFile*>(&second);
  if (!a || !b) {  // a device or a FIFO has no old content
    second.publish();
    return first.publish();
  }
  const FolderLock folder_lock(a->folder());
  const std::lock_guard lock(pairs);
  if (const Step failed = change_names(*a, *b); failed.error) {
    const std::string old = restore(*a, *b);
    if (failed.error == EEXIST) refuse_to_replace(failed.file->name());
    throw Error(ErrorKind::resources, failed.file->name() + ": " + std::strerror(failed.error) + old);
  }
  const int error = a->sync_folder();
  a->remove_old();
  b->remove_old();
  if (error) report_not_synced(a->name(), error);
}

}  // namespace kann::formats
