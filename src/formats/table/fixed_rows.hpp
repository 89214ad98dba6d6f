// Rows of a fixed size, read block by block on several threads: the file is not held beside its points.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "kann/attributes.hpp"

#include "formats/files/input.hpp"
#include "formats/table/columns.hpp"

namespace kann::formats {

struct FixedRows {
  std::size_t begin = 0;  ///< offset of the first row in the input
  std::uint64_t rows = 0;
  std::size_t stride = 0;  ///< bytes per row, at least 1
};

/// A number that every row has: a coordinate or an attribute.
struct RowField {
  ScalarType type = ScalarType::float32;  ///< as it stands in the row
  std::size_t offset = 0;                 ///< in the row
  std::endian order = std::endian::little;
  unsigned shift = 0, bits = 0;  ///< if it is part of a byte: its lowest bit and its bits; 0: all
  bool is_scaled = false;        ///< the value is scale · number + shift_by, in double
  double scale = 1, shift_by = 0;
  std::optional<double> nan = {};  ///< a number that becomes NaN; only if the values are floats

  ScalarType value_type() const { return is_scaled ? ScalarType::float64 : type; }
};

/// Checks that the input holds the rows; blocks where it is no regular file, which is then read.
/// @throws Error bad_input ("FILE: point count 20 needs 240 bytes, file holds 60"), and as Input::total_size().
void check_row_count(Input& input, const FixedRows& rows);

/// Bytes of the buffer that a thread of for_each_row_block() has.
double row_block_bytes(const FixedRows& rows);

/// Called with blocks of rows: `count` rows from row `first` on begin at `bytes`.
using RowBytes = std::function<void(std::uint64_t first, std::size_t count, const char* bytes)>;

/// Calls f for blocks of the rows, which check_row_count() has found to be there. The calls come in any order, on up to
/// `threads` threads; blocks. @throws as Input::for_each_block().
void for_each_row_block(Input& input, const FixedRows& rows, int threads, const RowBytes& f);

/// Rows that a file holds in another form, from which any range of them can be made.
class PackedRowSource {
 public:
  virtual ~PackedRowSource() = default;

  /// Does what for_each_row_block() does, for rows `first` to `first + count − 1`; the first of them is row 0 of f().
  /// @throws Error bad_input, resources, and what f throws.
  virtual void for_each_block(Input& input, std::uint64_t first, std::uint64_t count, int threads,
                              const RowBytes& f) const = 0;

  /// Bytes of memory that for_each_block() takes at a time, at most.
  virtual double buffer_bytes(int threads) const = 0;
};

/// Makes `least` the smaller of it and `value`: finds the first row with a fault, in whatever order blocks are read.
template <class T>
void lower_to(std::atomic<T>& least, T value) {
  for (T old = least; value < old && !least.compare_exchange_weak(old, value);) continue;
}

/// Copies a field of `count` rows that begin at `bytes`, `stride` bytes each, to `values`, an array of the field's
/// value_type(), from index `first` on.
void gather_field(const RowField& field, const char* bytes, std::size_t stride, std::size_t count,
                  AttributeValues& values, std::size_t first);

}  // namespace kann::formats
