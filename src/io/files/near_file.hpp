// "did you mean" for a file that is not there.
#pragma once

#include <string>

namespace kann::io {

/// The path of the file in the folder of `path` whose name is nearest to that of `path`: the same stem with another
/// extension, else the minimum edit distance, if that is not above a third of the stem, whatever the case of the
/// letters. Empty if there is none. Of equals, the first by name. Hidden files and folders are left out. Blocks; reads
/// at most so many entries of the folder, so that a huge one costs little.
std::string near_file(const std::string& path, int max_entries = 4096);

/// A pattern for the files in a folder that have the extension of the first one: "frames/*.ply". Empty if there is
/// none.
std::string files_in(const std::string& folder);

}  // namespace kann::io
