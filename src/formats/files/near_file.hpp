// "did you mean" for a file that is not there.
#pragma once

#include <string>

namespace kann::formats {

/// The path of the file in the folder of `path` whose name is nearest to that of `path`, whatever the case of the
/// letters: one with the same stem and another extension, else the one at the minimum edit distance, if that is at most
/// a third of the stem's length. Of several that are equally near, it is the first by name. Empty if there is none.
/// Hidden files, folders and links to nothing are left out. Blocks; reads at most `max_entries` entries of the folder,
/// so that a huge one costs little.
std::string near_file(const std::string& path, int max_entries = 4096);

/// A pattern for the files in a folder that have the most common extension there: "frames/*.ply". Empty if there are
/// none.
std::string files_in(const std::string& folder);

}  // namespace kann::formats
