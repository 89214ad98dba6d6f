#include "formats/neighbors/arriving_arrays.hpp"

#include <algorithm>

#include "kann/error.hpp"

namespace kann::formats {

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

void ArrivingArrays::write_rest(const RowBlocks& rows) {
  for (; current_ < sections_.size(); ++current_, has_begun_ = false, written_ = 0) {
    const ArraySection& section = sections_[current_];
    if (!has_begun_) section.begin();
    std::size_t passed = 0;
    rows.for_each([&](const RowBlock& block) {
      const auto all = section.array == ArraySection::Of::ids ? block.id_bytes() : std::as_bytes(block.distances);
      const std::size_t left_out = std::min(all.size(), written_ - std::min(written_, passed));
      if (left_out < all.size()) section.append(all.subspan(left_out));
      passed += all.size();
    });
    if (passed != section.size) throw Error(ErrorKind::internal, "not all rows of a result, or more");
  }
}

}  // namespace kann::formats
