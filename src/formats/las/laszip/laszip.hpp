// Compresses and decompresses point records by the library LASzip. Whoever calls this has checked what the library
// would trust.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kann::formats {

/// Which records.
struct LaszipShape {
  int format = 0;  ///< of the points, 0 to 10
  std::size_t record_bytes = 0;
};

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

/// The head that the library writes: its variable length record describes what LaszipWriter writes.
std::string laszip_head(const LaszipShape& shape);

/// Compresses point records in chunks of 50,000.
class LaszipWriter {
 public:
  using Take = std::function<void(const char* bytes, std::size_t size)>;

  /// @param take gets the compressed bytes, from the first chunk to the end of the table of the chunks
  LaszipWriter(const LaszipShape& shape, Take take);
  ~LaszipWriter();

  /// @throws std::bad_alloc, and what `take` throws
  void write(std::size_t count, const char* records);

  /// Passes on all bytes, and returns where the table begins, relative to the first chunk. @throws as write().
  std::uint64_t finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann::formats
