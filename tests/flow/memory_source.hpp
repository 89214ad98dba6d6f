// A cloud in memory that comes in blocks, as that of a file does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flow/sources/point_source.hpp"

namespace kann::test {

template <class T>
class MemorySource : public flow::PointSource {
 public:
  MemorySource(int dimensions, std::vector<T> coordinates) : d_(dimensions), c_(std::move(coordinates)) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return d_; }
  bool is_float64() const override { return sizeof(T) == sizeof(double); }
  std::int64_t size() const override { return static_cast<std::int64_t>(c_.size()) / d_; }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    most = std::min<std::int64_t>(most, 1000);
    for (std::int64_t row = begin; row < end; row += most) {
      const std::int64_t n = std::min(most, end - row);
      f(row, {d_, std::span(c_).subspan(static_cast<std::size_t>(row * d_), static_cast<std::size_t>(n * d_))});
    }
  }
  PointsView view() const { return {d_, std::span<const T>(c_)}; }

 private:
  std::string name_ = "cloud";
  int d_;
  std::vector<T> c_;
};

/// Appends the rows of a block.
inline void append(const Rows& rows, std::vector<std::int64_t>& ids, std::vector<float>& distances) {
  for (std::size_t i = 0; i < rows.distances.size(); ++i) ids.push_back(rows.id(i));
  distances.insert(distances.end(), rows.distances.begin(), rows.distances.end());
}

}  // namespace kann::test
