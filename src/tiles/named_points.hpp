// The data points that rows name, from data that need not fit in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kann/io.hpp"

#include "tiles/cloud_source.hpp"

namespace kann::tiles {

class NamedPoints {
 public:
  /// @param data must outlive this object
  /// @param most numbers that pick() is called with at most. If the data have no more points, all are read once and
  ///        kept.
  NamedPoints(const CloudSource& data, std::int64_t most, int threads)
      : data_(data), threads_(threads), keeps_all_(data.size() <= most) {}

  /// Reads the points with these numbers, and their attributes; passes over the data once. Blocks.
  /// @throws as CloudSource::read().
  void pick(std::vector<std::int64_t> numbers);

  /// The points that pick() has read.
  const Cloud& cloud() const { return cloud_; }

  /// Their numbers in the data, ascending; empty if they are all of the data.
  std::span<const std::int64_t> numbers() const { return numbers_; }

  /// The place in cloud() of the point with a number that was picked.
  std::int32_t place_of(std::int64_t number) const;

 private:
  const CloudSource& data_;
  const int threads_;
  const bool keeps_all_;
  bool has_all_ = false;
  std::vector<std::int64_t> numbers_;
  Cloud cloud_;
};

}  // namespace kann::tiles
