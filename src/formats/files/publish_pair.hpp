// Publishes two files that belong together.
#pragma once

#include "formats/files/output_file.hpp"

namespace kann::formats {

/// Publishes two finished files. Two names cannot change at once, so the old `first` is removed, then `second` gets its
/// name, then `first`: whoever sees `first` sees the `second` that belongs to it, whenever the process is killed. If a
/// step fails after the first, both are absent. Several processes that publish to one folder do so one after the other.
/// Blocks.
/// @throws OutputExists, OutputNotSynced (both are whole), Error resources, which says what became of the old files.
void publish_pair(OutputFile& first, OutputFile& second);

}  // namespace kann::formats
