#include "flow/sources/named_points.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "base/threads/parallel.hpp"

namespace kann::flow {
namespace {

/// Sets values [to, to + rows.size()) of `out` to those of `from` in these rows, `width` each.
template <class T>
void copy_rows(const Array<T>& from, std::span<const std::int64_t> rows, std::size_t width, Array<T>& out,
               std::size_t to, int threads) {
  base::parallel_for(std::ssize(rows), threads, [&](std::int64_t i) {
    const auto row = static_cast<std::size_t>(rows[static_cast<std::size_t>(i)]);
    std::copy_n(from.data() + row * width, width, out.data() + (to + static_cast<std::size_t>(i)) * width);
  });
}

/// A cloud of `count` points like `described`, whose values are not set.
Cloud with_points(const Cloud& described, std::size_t count) {
  Cloud cloud = described;
  cloud.las.reset();
  std::visit([&](auto& c) { c.resize(count * static_cast<std::size_t>(cloud.points.dimensions)); },
             cloud.points.coordinates);
  for (Attribute& attribute : cloud.attributes) std::visit([&](auto& v) { v.resize(count); }, attribute.values);
  return cloud;
}

}  // namespace

std::vector<std::int64_t> NumberSet::finish() {
  std::vector<std::int64_t> numbers;
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  numbers.reserve(count);
  for (std::size_t word = 0; word < words_.size(); ++word) {
    before_[word] = static_cast<std::uint32_t>(numbers.size());
    for (std::uint64_t left = words_[word]; left != 0; left &= left - 1)
      numbers.push_back(static_cast<std::int64_t>(word * 64) + std::countr_zero(left));
  }
  return numbers;
}

void NamedPoints::pick(std::vector<std::int64_t> numbers) {
  if (keeps_all_) {
    if (std::exchange(has_all_, true)) return;
    charge_.resize(static_cast<double>(data_.size()) * bytes_per_point(data_) + data_.buffer_bytes());
    cloud_ = data_.read(0, data_.size());
    charge_.resize(static_cast<double>(data_.size()) * bytes_per_point(data_));
    return;
  }
  set_.reset();
  cloud_ = {};
  numbers_ = {};
  const auto named = static_cast<double>(numbers.size());
  const double point_bytes = bytes_per_point(data_);
  charge_.resize(picked_bytes(data_.size(), named, 0, point_bytes) + data_.buffer_bytes());
  if (NumberSet::bytes(data_.size()) <= static_cast<double>(numbers.size()) * sizeof(std::int64_t)) {
    set_.emplace(data_.size());
    base::parallel_for(std::ssize(numbers), threads_,
                       [&](std::int64_t i) { set_->add(numbers[static_cast<std::size_t>(i)]); });
    numbers_ = set_->finish();
  } else {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    numbers_ = std::move(numbers);
  }
  charge_.resize(picked_bytes(data_.size(), named, static_cast<double>(numbers_.size()), point_bytes) +
                 data_.buffer_bytes());
  cloud_ = with_points(data_.described(), numbers_.size());
  const auto texts = std::make_shared<Texts>();  // of the points that are picked
  const std::int64_t at_once = points_at_once(point_bytes);
  Array<std::int64_t> rows;
  for (std::size_t next = 0; next < numbers_.size();) {
    const std::int64_t first = numbers_[next], end = std::min(data_.size(), first + at_once);
    const std::size_t to = next;
    const auto from = numbers_.begin() + static_cast<std::ptrdiff_t>(next),
               past = std::lower_bound(from, numbers_.end(), end);
    rows.resize(static_cast<std::size_t>(past - from));
    std::ranges::transform(from, past, rows.begin(), [&](std::int64_t number) { return number - first; });
    next += rows.size();
    const Cloud read = data_.read(first, rows.back() + 1);
    std::visit(
        [&]<class T>(Array<T>& out) {
          copy_rows(std::get<Array<T>>(read.points.coordinates), rows, static_cast<std::size_t>(read.points.dimensions),
                    out, to, threads_);
        },
        cloud_.points.coordinates);
    for (std::size_t a = 0; a < cloud_.attributes.size(); ++a) {
      std::visit(
          [&]<class T>(Array<T>& out) {
            copy_rows(std::get<Array<T>>(read.attributes[a].values), rows, 1, out, to, threads_);
          },
          cloud_.attributes[a].values);
      const std::shared_ptr<const Texts>& read_texts = read.attributes[a].texts;
      if (!read_texts || read_texts->row_bytes == 0) continue;
      cloud_.attributes[a].texts = texts;
      const std::span values(std::get<Array<std::int64_t>>(cloud_.attributes[a].values));
      for (std::int64_t& value : values.subspan(to, rows.size()))
        value = texts->add(read_texts->at(value), value & (Texts::k_in_quotes | Texts::k_needs_quotes));
    }
  }
  charge_.resize(static_cast<double>(numbers_.capacity() * sizeof(std::int64_t)) +
                 static_cast<double>(numbers_.size()) * point_bytes + (set_ ? NumberSet::bytes(data_.size()) : 0));
}

std::int32_t NamedPoints::place_of(std::int64_t number) const {
  if (keeps_all_) return static_cast<std::int32_t>(number);
  if (set_) return set_->place_of(number);
  return static_cast<std::int32_t>(std::ranges::lower_bound(numbers_, number) - numbers_.begin());
}

}  // namespace kann::flow
