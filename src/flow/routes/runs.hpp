// The division of the Hilbert curve into runs with about as many points each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace kann::flow {

class Runs {
 public:
  /// Equal parts of a run, whose boxes say which queries reach it. Visits of other ranks per query, 64 ranks, 2·10⁶
  /// points of a surface: .15 with 16 parts, .08 with 128.
  static constexpr std::uint32_t k_parts = 64;

  Runs() : Runs({0}) {}
  /// @param first positions of the runs, ascending; the first is 0
  explicit Runs(std::vector<std::uint64_t> first) : first_(std::move(first)) {}

  std::size_t size() const { return first_.size(); }

  /// The part that a position is in, of all parts of all runs in their order.
  std::uint32_t part_of(std::uint64_t position) const {
    constexpr std::uint64_t curve_end = std::uint64_t{1} << 60;
    const auto run = static_cast<std::size_t>(std::ranges::upper_bound(first_, position) - first_.begin()) - 1;
    const std::uint64_t begin = first_[run], end = run + 1 < first_.size() ? first_[run + 1] : curve_end;
    const std::uint64_t length = (end - begin) / k_parts + 1;
    const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>((position - begin) / length, k_parts - 1));
    return static_cast<std::uint32_t>(run) * k_parts + part;
  }

  /// The run that it belongs to.
  static std::uint32_t run_of(std::uint32_t part) { return part / k_parts; }

 private:
  std::vector<std::uint64_t> first_;
};

}  // namespace kann::flow
