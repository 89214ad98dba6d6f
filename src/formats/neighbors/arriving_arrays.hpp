// Writes the arrays of a result one after the other, as far as their values are there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"

namespace kann::formats {

/// One of the arrays that a format has, in its order. The functions throw what the sink throws.
struct ArraySection {
  enum class Of { ids, distances } array;
  std::function<void()> begin;                             ///< writes what precedes the values
  std::function<void(std::span<const std::byte>)> append;  ///< writes the values that follow
  std::uint64_t size = 0;                                  ///< bytes of all values
  /// To be called once, in the place of append(): leaves out all values, which other processes write and whose CRC-32
  /// is `crc`.
  std::function<void(std::uint32_t crc)> skip = {};
};

class ArrivingArrays {
 public:
  explicit ArrivingArrays(std::vector<ArraySection> sections) : sections_(std::move(sections)) {}

  /// Writes those of the first `ids` ids and the first `distances` distances that can be written and have not been: a
  /// section begins when the one before it is complete. The arrays must have their final sizes. Blocks.
  /// Example, sections ids and distances of 8 values each: write(n, 4, 0) writes 4 ids, write(n, 8, 2) 4 ids and 2
  /// distances, write(n, 8, 8) 6 distances.
  void write(const Neighbors& neighbors, std::int64_t ids, std::int64_t distances);

  /// Writes what write() has left of these rows. Blocks. @throws also what `rows` throws.
  void write_rest(const RowBlocks& rows);

 private:
  std::vector<ArraySection> sections_;
  std::size_t current_ = 0;  ///< the section that is being written
  bool has_begun_ = false;   ///< whether its begin() was called
  std::size_t written_ = 0;  ///< bytes of its values that are written
};

}  // namespace kann::formats
