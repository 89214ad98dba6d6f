#include "io/files/publish_pair.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "io/files/atomic_file.hpp"

namespace kann::io {
namespace {

constinit std::timed_mutex pairs;

/// The step that failed, of which file. Error 0: none.
struct Step {
  const AtomicFile* file = nullptr;
  int error = 0;
};

/// Until the folder is synced, a power failure may undo the changes in any order: the old names are gone from the
/// medium before the new ones can be there.
Step change_names(AtomicFile& first, AtomicFile& second) {
  if (const int error = first.set_old_aside()) return {&first, error};
  if (const int error = second.set_old_aside()) return {&second, error};
  if (!first.aside().empty() || !second.aside().empty())
    if (const int error = first.sync_folder()) return {&first, error};
  if (const int error = second.rename_to_target()) return {&second, error};
  if (const int error = first.rename_to_target()) return {&first, error};
  return {};
}

/// What has become of the old files, for the message of a failure.
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

}  // namespace kann::io
