#include "formats/files/pending_files.hpp"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <iterator>
#include <sched.h>
#include <unistd.h>

#include "kann/error.hpp"
#include "kann/io.hpp"

namespace kann::formats {
namespace {

/// Only the owner of a slot empties it, so that a handler on another thread never reads a path that is being replaced.
enum class SlotState {
  empty,
  claimed,   // the owner writes the path
  pending,   // the file may exist
  removing,  // remove_pending_outputs() reads the path
  removed,
};

/// Holds the path itself, so that a handler never reads memory that was freed.
struct Slot {
  std::atomic<SlotState> state{SlotState::empty};
  char path[PATH_MAX] = {};
};
static_assert(std::atomic<SlotState>::is_always_lock_free, "a signal handler uses it");

constinit Slot slots[64];

std::atomic<int> creations{0};
std::atomic<int> removals{0};
std::atomic<bool> creation_is_stopped{false};

bool change(Slot& slot, SlotState from, SlotState to) { return slot.state.compare_exchange_strong(from, to); }

}  // namespace

PendingFile::PendingFile(const std::string& path) : slot_(0) {
  if (path.size() >= sizeof slots[0].path) throw Error(ErrorKind::resources, path + ": " + std::strerror(ENAMETOOLONG));
  for (Slot& slot : slots) {
    if (change(slot, SlotState::empty, SlotState::claimed)) {
      std::memcpy(slot.path, path.c_str(), path.size() + 1);
      slot.state = SlotState::pending;
      return;
    }
    ++slot_;
  }
  throw Error(ErrorKind::resources,
              path + ": too many result files are open (at most " + std::to_string(std::size(slots)) + " at a time)");
}

PendingFile::~PendingFile() {
  Slot& slot = slots[slot_];
  while (!change(slot, SlotState::pending, SlotState::empty) && !change(slot, SlotState::removed, SlotState::empty))
    sched_yield();  // another thread is removing the file
}

FileCreation::FileCreation() noexcept {
  ++creations;
  if (!creation_is_stopped) return;
  --creations;
  while (true) pause();
}

FileCreation::~FileCreation() { --creations; }

int removed_outputs() noexcept { return removals; }

void stop_file_creation() noexcept {
  creation_is_stopped = true;
  for (int i = 0; i < 100 && creations > 0; ++i) {
    const timespec millisecond{0, 1'000'000};
    nanosleep(&millisecond, nullptr);
  }
}

}  // namespace kann::formats

namespace kann {

void remove_pending_outputs() noexcept {
  const int saved_errno = errno;
  for (formats::Slot& slot : formats::slots) {
    if (!formats::change(slot, formats::SlotState::pending, formats::SlotState::removing)) continue;
    // A file that is not there may still appear.
    const bool is_removed = unlink(slot.path) == 0;
    formats::removals += is_removed;
    slot.state = is_removed ? formats::SlotState::removed : formats::SlotState::pending;
  }
  errno = saved_errno;
}

}  // namespace kann
