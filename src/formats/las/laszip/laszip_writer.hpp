// Compresses by the library LASzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "formats/las/laszip/laszip_shape.hpp"

namespace kann::formats {

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
