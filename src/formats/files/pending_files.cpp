#include "formats/files/pending_files.hpp"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iterator>
#include <unistd.h>

#include "kann/error.hpp"
#include "kann/io.hpp"

namespace kann::formats {
namespace {

/// Holds the path itself, so that a handler never reads memory that was freed.
struct Slot {
  std::atomic<bool> is_taken{false}, is_pending{false};
  char path[PATH_MAX] = {};
};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler uses it");

constinit Slot slots[64];
std::atomic<bool> are_removed{false};

}  // namespace

PendingFile::PendingFile(const std::string& path) : slot_(0) {
  if (path.size() >= sizeof slots[0].path) throw Error(ErrorKind::resources, path + ": " + std::strerror(ENAMETOOLONG));
  for (Slot& slot : slots) {
    if (!slot.is_taken.exchange(true)) {
      while (are_removed) pause();  // looked at after the slot was taken: the handler may be reading its last path
      std::memcpy(slot.path, path.c_str(), path.size() + 1);
      slot.is_pending = true;
      return;
    }
    ++slot_;
  }
  throw Error(ErrorKind::resources,
              path + ": too many result files are open (at most " + std::to_string(std::size(slots)) + " at a time)");
}

PendingFile::~PendingFile() {
  slots[slot_].is_pending = false;
  slots[slot_].is_taken = false;
}

}  // namespace kann::formats

namespace kann {

void remove_pending_outputs() noexcept {
  const int saved_errno = errno;
  formats::are_removed = true;
  for (const formats::Slot& slot : formats::slots)
    if (slot.is_pending) unlink(slot.path);
  errno = saved_errno;
}

}  // namespace kann
