#include "flow/routes/runs.hpp"

#include <algorithm>
#include <utility>

namespace kann::flow {

Runs::Runs(std::vector<std::uint64_t> first) : first_(std::move(first)) {}

std::uint32_t Runs::part_of(std::uint64_t position) const {
  constexpr std::uint64_t curve_end = std::uint64_t{1} << 60;
  const auto run = static_cast<std::size_t>(std::ranges::upper_bound(first_, position) - first_.begin()) - 1;
  const std::uint64_t begin = first_[run], end = run + 1 < first_.size() ? first_[run + 1] : curve_end;
  const std::uint64_t length = (end - begin) / k_parts + 1;
  const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>((position - begin) / length, k_parts - 1));
  return static_cast<std::uint32_t>(run) * k_parts + part;
}

}  // namespace kann::flow
