// Publishes two files that belong together.
#pragma once

#include <chrono>
#include <mutex>

#include "formats/files/output_file.hpp"

namespace kann::formats {

/// Publishes two finished files. Two names cannot change at once. So the order of the changes is such that a reader can
/// recognise every state between them: as long as `second` is not whole, `first` is absent. An old pair is first set
/// aside (as temporary_path() names it, with the ending `old`), and brought back if a step fails; after a kill it stays
/// aside. Several processes that publish to one folder do so one after the other. Blocks.
/// @throws OutputExists, OutputNotSynced (both are whole), Error resources; its message says whether the old files are
///         kept, else where they are.
void publish_pair(OutputFile& first, OutputFile& second);

/// Waits, for at most `most`, until no pair is partly published; while the result owns the lock, publishing of none
/// begins. For a thread that ends the process.
std::unique_lock<std::timed_mutex> hold_pairs(std::chrono::milliseconds most);

}  // namespace kann::formats
