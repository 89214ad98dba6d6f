#include "search/periodic/periodic_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "search/periodic/images.hpp"
#include "search/periodic/row_builder.hpp"

namespace kann::detail {
namespace {

/// Neighbours that are held at once beside the result: 128 MiB of ids and distances.
constexpr std::int64_t k_max_held = std::int64_t{1} << 24;

/// Lists longer than the row see the end of most ties, and the query itself.
constexpr std::int64_t k_more = 4;

/// Calls f(i) for every i of [0, count), on all threads; work is uneven.
template <class F>
void for_each(std::int64_t count, int threads, F&& f) {
  constexpr std::int64_t grain = 256;
  base::parallel_chunks(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(i);
  });
}

/// What one call of fill() or mend() works on.
class Work {
 public:
  Work(const PeriodicRows& of, Neighbors& rows) : of_(of), d_(of.placement.box().dimensions()), rows_(rows) {}

  /// Searches `queries` in blocks. Returns those whose rows are not certain.
  std::vector<std::int64_t> search(std::span<const std::int64_t> queries, std::int64_t size) {
    std::vector<std::int64_t> uncertain;
    const std::int64_t block = std::max<std::int64_t>(1, k_max_held / size);
    for (std::size_t begin = 0; begin < queries.size(); begin += block) {
      const auto part = queries.subspan(begin, std::min<std::size_t>(block, queries.size() - begin));
      Array<double> positions;
      positions.reserve(part.size() * static_cast<std::size_t>(d_));
      for (const std::int64_t query : part) {
        const Position at = place(query).at;
        positions.insert(positions.end(), at.begin(), at.begin() + d_);
      }
      add_images(part, of_.search_at(positions, size), size, uncertain);
    }
    return uncertain;
  }

  /// Completes the rows of `queries`, whose searches where they are have given `own` (row by row); images are searched
  /// for `size` neighbours. Appends the queries whose rows are not certain.
  void add_images(std::span<const std::int64_t> queries, const Neighbors& own, std::int64_t size,
                  std::vector<std::int64_t>& uncertain) {
    const auto count = static_cast<std::int64_t>(queries.size());
    std::vector<Array<double>> images(queries.size());
    for_each(count, of_.threads, [&](std::int64_t i) {
      RowBuilder row(of_, queries[i], rows_.k);
      row.add(own, i);
      if (!row.has_all() && !row.is_blurred()) append_images(of_.placement, row.place(), row.sq_radius(), images[i]);
    });

    std::vector<char> is_certain(queries.size());
    std::int64_t begin = 0;
    while (begin < count) {
      std::vector<std::int64_t> first{0};  // image of each row of the block
      Array<double> positions;
      std::int64_t end = begin;
      for (; end < count; ++end) {
        const Array<double>& more = images[end];
        if (end > begin && (first.back() + static_cast<std::int64_t>(more.size()) / d_) * size > k_max_held) break;
        positions.insert(positions.end(), more.begin(), more.end());
        first.push_back(static_cast<std::int64_t>(positions.size()) / d_);
        images[end] = {};
      }
      const Neighbors found = positions.empty() ? Neighbors{} : of_.search_at(positions, size);
      for_each(end - begin, of_.threads, [&](std::int64_t i) {
        RowBuilder row(of_, queries[begin + i], rows_.k);
        row.add(own, begin + i);
        for (std::int64_t image = first[i]; image < first[i + 1]; ++image) {
          Position at{};
          for (int a = 0; a < d_; ++a) at[a] = positions[image * d_ + a];
          row.add(found, image, at);
        }
        is_certain[begin + i] = row.write(rows_);
      });
      begin = end;
    }
    for (std::int64_t i = 0; i < count; ++i)
      if (!is_certain[i]) uncertain.push_back(queries[i]);
  }

  /// Searches the queries again, with longer and longer lists, until their rows are certain.
  void search_until_certain(std::vector<std::int64_t> queries, std::int64_t size) {
    while (!queries.empty()) {
      // A row of all points is certain, and needs no images.
      if (size > of_.valid_data / 8) size = of_.valid_data;
      queries = search(queries, size);
      size *= 2;
    }
  }

  std::int64_t list_size() const { return std::min(of_.valid_data, std::min(of_.valid_data, rows_.k) + k_more); }

  Placement::Place place(std::int64_t query) const { return of_.placement.place(position_of(of_.queries, query)); }

  /// Whether the row of `query`, exact without a box, may have other neighbours in it. Its last distance is rounded.
  bool may_change(std::int64_t query) const {
    const float last = rows_.distances[(query + 1) * rows_.k - 1];
    const double radius = std::nextafter(last, std::numeric_limits<float>::infinity());
    const Placement::Place at = place(query);
    Array<double> images;
    return !std::isfinite(radius) || of_.placement.is_blurred(at) ||
           append_images(of_.placement, at, radius * radius, images) > 0;
  }

 private:
  const PeriodicRows& of_;
  int d_;
  Neighbors& rows_;
};

}  // namespace

void PeriodicRows::fill(std::span<const std::int64_t> valid, Neighbors& rows) const {
  if (valid_data == 0) return;
  Work work(*this, rows);
  work.search_until_certain({valid.begin(), valid.end()}, work.list_size());
}

void PeriodicRows::mend(std::span<const std::int64_t> valid, Neighbors& rows) const {
  if (valid_data == 0) return;
  Work work(*this, rows);
  const auto count = static_cast<std::int64_t>(valid.size());
  std::vector<char> changes(valid.size());
  for_each(count, threads, [&](std::int64_t i) { changes[i] = work.may_change(valid[i]); });

  std::vector<std::int64_t> block, uncertain;
  const std::int64_t block_size = std::max<std::int64_t>(1, k_max_held / rows.k);
  const auto finish_block = [&] {
    Neighbors own{static_cast<std::int64_t>(block.size()), rows.k, {}, {}};
    for (const std::int64_t query : block)
      own.ids.insert(own.ids.end(), rows.ids.begin() + query * rows.k, rows.ids.begin() + (query + 1) * rows.k);
    work.add_images(block, own, work.list_size(), uncertain);
    block.clear();
  };
  for (std::int64_t i = 0; i < count; ++i) {
    if (!changes[i]) continue;
    block.push_back(valid[i]);
    if (static_cast<std::int64_t>(block.size()) == block_size) finish_block();
  }
  finish_block();
  work.search_until_certain(std::move(uncertain), 2 * work.list_size());
}

}  // namespace kann::detail
