// The division of the Hilbert curve into runs with about as many points each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kann::flow {

class Runs {
 public:
  /// Equal parts of a run, whose boxes say which queries reach it. Visits of other ranks per query, 64 ranks, 2·10⁶
  /// points of a surface: .15 with 16 parts, .08 with 128.
  static constexpr std::uint32_t k_parts = 64;

  Runs() : Runs({0}) {}
  /// @param first positions of the runs, ascending; the first is 0
  explicit Runs(std::vector<std::uint64_t> first);

  std::size_t size() const { return first_.size(); }

  /// The part that a position is in, of all parts of all runs in their order.
  std::uint32_t part_of(std::uint64_t position) const;

  /// The run that it belongs to.
  static std::uint32_t run_of(std::uint32_t part) { return part / k_parts; }

 private:
  std::vector<std::uint64_t> first_;
};

}  // namespace kann::flow
