// Names of the files that one result is made of, for those who must know them before they are written.
#pragma once

#include <string>

namespace kann::io {

/// Where a NeighborFile of format npy puts the distances: NAME.distances.npy for NAME.npy (the extension in any case),
/// and for a NAME that ends otherwise.
std::string distances_path(const std::string& path);

}  // namespace kann::io
