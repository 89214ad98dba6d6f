#include "io/results/arriving_arrays.hpp"

#include <algorithm>

namespace kann::io {

void ArrivingArrays::write(const Neighbors& neighbors, std::int64_t ids, std::int64_t distances) {
  for (; current_ < sections_.size(); ++current_, has_begun_ = false, written_ = 0) {
    const ArraySection& section = sections_[current_];
    const bool of_ids = section.array == ArraySection::Of::ids;
    const auto all = of_ids ? std::as_bytes(std::span(neighbors.ids)) : std::as_bytes(std::span(neighbors.distances));
    const std::size_t there = std::min(all.size(), static_cast<std::size_t>(of_ids ? ids : distances) * 4);
    if (!has_begun_) section.begin();
    has_begun_ = true;
    if (there > written_) {
      section.append(all.subspan(written_, there - written_));
      written_ = there;
    }
    if (written_ < all.size()) return;
  }
}

}  // namespace kann::io
