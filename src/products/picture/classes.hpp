// Values that are classes: there are few different ones.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kann::picture {

/// If there are more classes than this, they are drawn as values.
inline constexpr std::size_t k_most_classes = 12;

/// Collects the different finite values of a cloud.
class ClassCollector {
 public:
  /// Takes the values of the next block. After too many different ones, it does nothing.
  void add(std::span<const float> values);

  /// The different values, ascending; the first k_most_classes of them if there are too many.
  const std::vector<float>& values() const { return values_; }
  bool are_too_many() const { return are_too_many_; }

 private:
  std::vector<float> values_;
  bool are_too_many_ = false;
};

}  // namespace kann::picture
