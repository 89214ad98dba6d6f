// kann::Groups and kann::Limits as Python passes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "kann/groups.hpp"
#include "kann/limits.hpp"

#include "module.hpp"

namespace kann::python {

/// Labels of the data and of the queries (no queries: an array without elements), int64, whether neighbours are of
/// other groups, and the sets of these (or no elements).
using GivenGroups = std::optional<std::tuple<HostArray, HostArray, bool, HostArray>>;

/// Valid as long as the arrays.
inline Groups groups_of(const GivenGroups& given) {
  const auto& [data, queries, are_others, sets] = *given;
  const auto labels = [](const HostArray& array) {
    return std::span(static_cast<const std::int64_t*>(array.data()), array.size());
  };
  return {labels(data), labels(queries), are_others ? GroupRule::other : GroupRule::same, labels(sets)};
}

/// Radii, smallest radii (both float64) and excluded points (int32); those that are not given have no elements.
using GivenLimits = std::optional<std::tuple<HostArray, HostArray, HostArray>>;

/// Valid as long as the arrays.
inline Limits limits_of(const GivenLimits& given) {
  const auto& [radii, min_radii, excluded] = *given;
  const auto elements = []<class T>(const HostArray& array, T) {
    return std::span(static_cast<const T*>(array.data()), array.size());
  };
  return {elements(radii, 0.0), elements(min_radii, 0.0), elements(excluded, std::int32_t{0})};
}

}  // namespace kann::python
