// The labels of clusters, as products take them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <variant>

#include "kann/attributes.hpp"

namespace kann::cli {

/// Refers to the labels of all points. Products have them in int32, unless there are more points than it counts.
class ClusterLabels {
 public:
  explicit ClusterLabels(std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>> all) : all_(all) {}

  std::int64_t size() const {
    return std::visit([](const auto& labels) { return std::ssize(labels); }, all_);
  }

  /// The labels of `count` points from number `first` on.
  AttributeValues of(std::int64_t first, std::int64_t count) const {
    return size() > std::numeric_limits<std::int32_t>::max() ? copied<std::int64_t>(first, count)
                                                             : copied<std::int32_t>(first, count);
  }

 private:
  template <class T>
  AttributeValues copied(std::int64_t first, std::int64_t count) const {
    Array<T> out(static_cast<std::size_t>(count));
    std::visit(
        [&](const auto& labels) {
          for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<T>(labels[static_cast<std::size_t>(first) + i]);
        },
        all_);
    return out;
  }

  std::variant<std::span<const std::int32_t>, std::span<const std::int64_t>> all_;
};

}  // namespace kann::cli
