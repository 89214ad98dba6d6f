// Decompresses by the library LASzip. Whoever calls this has checked what the library would trust.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/las/laszip/laszip_shape.hpp"

namespace kann::formats {

/// Where the chunks begin, by the table in `file`, a LAZ file of chunks of one point each, whatever the chunks have:
/// the offsets in it. Fewer than `count` if the table is damaged.
std::vector<std::uint64_t> laszip_chunks(std::string file, std::uint64_t count);

/// Decompresses the points of a LAZ file of one chunk, one after the other. Any number of readers may be used at once.
class LaszipReader {
 public:
  /// @param file has a head that is right @throws std::bad_alloc
  LaszipReader(const LaszipShape& shape, std::string file);
  ~LaszipReader();

  /// Writes the next records to `records`. Returns whether they could be decompressed. @throws std::bad_alloc
  bool read(std::size_t count, char* records);

  /// Whether all bytes have been used.
  bool is_at_end() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann::formats
