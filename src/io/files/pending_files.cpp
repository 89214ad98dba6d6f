#include "io/files/pending_files.hpp"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iterator>
#include <unistd.h>

#include "kann/error.hpp"
#include "kann/io.hpp"

namespace kann {
namespace {

enum class SlotState { empty, claimed, pending };

/// The path lies in the slot itself: a handler that runs while another thread lets go of its file never reads memory
/// that was freed.
struct Slot {
  std::atomic<SlotState> state{SlotState::empty};
  char path[PATH_MAX] = {};
};
static_assert(std::atomic<SlotState>::is_always_lock_free, "a signal handler reads it");

constinit Slot slots[64];

}  // namespace

PendingFile::PendingFile(const std::string& path) : slot_(0) {
  if (path.size() >= sizeof slots[0].path) throw Error(ErrorKind::resources, path + ": " + std::strerror(ENAMETOOLONG));
  for (Slot& slot : slots) {
    SlotState expected = SlotState::empty;
    if (slot.state.compare_exchange_strong(expected, SlotState::claimed)) {
      std::memcpy(slot.path, path.c_str(), path.size() + 1);
      slot.state = SlotState::pending;
      return;
    }
    ++slot_;
  }
  throw Error(ErrorKind::resources,
              path + ": too many result files are open (at most " + std::to_string(std::size(slots)) + " at a time)");
}

PendingFile::~PendingFile() { slots[slot_].state = SlotState::empty; }

void remove_pending_outputs() noexcept {
  const int saved_errno = errno;
  for (Slot& slot : slots)
    if (slot.state == SlotState::pending) unlink(slot.path);
  errno = saved_errno;
}

}  // namespace kann
