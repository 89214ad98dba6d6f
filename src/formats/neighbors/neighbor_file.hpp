// The names of a result's files, for checks before they are written.
#pragma once

#include <string>

namespace kann::formats {

/// The path of the distances in format npy. Example: "a.npy" (the extension in any case) and "a" both give
/// "a.distances.npy".
std::string distances_path(const std::string& path);

}  // namespace kann::formats
