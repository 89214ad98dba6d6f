// What clusters ask of a device: two steps for each tile, with all other tiles between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kann/points.hpp"
#include "kann/search.hpp"

#include "problem/disjoint_sets.hpp"

namespace kann::problem {

/// A bit per point.
class PointFlags {
 public:
  explicit PointFlags(std::int64_t size) : words_(static_cast<std::size_t>((size + k_bits - 1) / k_bits)) {}

  static double bytes(double size) { return size / 8; }

  void set(std::int64_t i) { words_[static_cast<std::size_t>(i / k_bits)] |= bit(i); }
  bool operator[](std::int64_t i) const { return (words_[static_cast<std::size_t>(i / k_bits)] & bit(i)) != 0; }

  /// All bits. Those of processes each of which has set the flags of other points are put together by sums.
  std::span<std::int64_t> words() { return words_; }

 private:
  static constexpr std::int64_t k_bits = 64;
  static std::int64_t bit(std::int64_t i) { return static_cast<std::int64_t>(std::uint64_t{1} << (i % k_bits)); }

  std::vector<std::int64_t> words_;
};

/// What makes a cluster.
struct ClusterRule {
  double radius;
  std::int64_t min_points;  ///< that are within the radius of a core point, itself among them
  int threads;
  /// Called on the caller's thread every few milliseconds of a step on the CPU; what it throws ends the step.
  std::function<void()> check = {};
};

/// Points with their numbers; without these, their places are their numbers.
struct ClusteredPoints {
  PointsView points;
  std::span<const std::int64_t> numbers;

  std::int64_t number(std::int64_t place) const {
    return numbers.empty() ? place : numbers[static_cast<std::size_t>(place)];
  }
};

/// Some of them, all of which are finite.
struct ChosenPoints {
  ClusteredPoints cloud;
  std::span<const std::int32_t> places;
};

/// Passes the points around a tile to its argument, block by block.
using ChosenAround = std::function<void(const std::function<void(const ChosenPoints&)>&)>;

/// A device, with the rule of its clusters. Both steps block, and give the same on every device.
class ClusterDevice {
 public:
  virtual ~ClusterDevice() = default;

  /// Marks the points of a tile that have enough neighbours, in it or around it.
  virtual void find_core_points(const ChosenPoints& tile, const ChosenAround& around, PointFlags& is_core) = 0;

  /// Unites the core points of a tile with each other and with core points around it. The parent of each of `others`,
  /// the other points of the tile, becomes its nearest core point within the radius, of several the one with the
  /// smallest number; it stays as it is if there is none.
  virtual void link(const ChosenPoints& cores, const ChosenPoints& others, const ChosenAround& cores_around,
                    DisjointSets& sets) = 0;

  /// Sets what a report says of the device, its steps and its memory.
  virtual void describe(SearchReport& report) const = 0;
};

}  // namespace kann::problem
