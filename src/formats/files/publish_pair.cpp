#include "formats/files/publish_pair.hpp"

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

}  // namespace

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

}  // namespace kann::formats
