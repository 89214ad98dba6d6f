// The readers of neighbours: one function per format, from the bytes of a file called `file`. All check the sizes that
// a header claims against the bytes that are there before they allocate. @throws Error bad_input, std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "kann/neighbors.hpp"

namespace kann::io {

/// These formats have two uint32, the numbers of queries and of neighbours, then the ids as int32. In bin, but not in
/// ibin, the distances follow as float32.
Neighbors read_bin(std::string_view bytes, const std::string& file);
Neighbors read_ibin(std::string_view bytes, const std::string& file);

/// Each row has an int32, the number of neighbours, which is the same in all rows, and as many ids as int32.
Neighbors read_ivecs(std::string_view bytes, const std::string& file);

/// Reads an array of ids.
Neighbors read_ids_npy(std::string_view bytes, const std::string& file);

/// Reads the arrays `ids` and, if there is one, `distances`. `meta`, if not null, becomes the text of the array `meta`,
/// or empty if there is none.
Neighbors read_npz(std::string_view bytes, const std::string& file, std::string* meta = nullptr);

}  // namespace kann::io
