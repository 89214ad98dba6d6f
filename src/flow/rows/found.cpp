#include "flow/rows/found.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "base/threads/parallel.hpp"
#include "flow/sources/named_points.hpp"

namespace kann::flow {
namespace {

/// The values of `count` points from number `first` on, where a point has `width` of them.
template <class T>
Array<T> slice(const Array<T>& values, std::int64_t first, std::int64_t count, std::int64_t width = 1) {
  const auto begin = values.begin() + first * width;
  return {begin, begin + count * width};
}

Cloud slice(const Cloud& cloud, std::int64_t first, std::int64_t count) {
  Cloud out{.points = {cloud.points.dimensions, {}},
            .warnings = {},
            .columns = cloud.columns,
            .asked = cloud.asked,
            .asked_besides = cloud.asked_besides};
  std::visit([&](const auto& c) { out.points.coordinates = slice(c, first, count, cloud.points.dimensions); },
             cloud.points.coordinates);
  for (const Attribute& a : cloud.attributes) {
    AttributeValues values =
        std::visit([&](const auto& v) { return AttributeValues(slice(v, first, count)); }, a.values);
    out.attributes.push_back(a.with(std::move(values)));
  }
  if (const LasRecords* const las = cloud.las.get()) {
    const auto bytes = static_cast<std::int64_t>(las->record_bytes);
    out.las = std::make_shared<const LasRecords>(LasRecords{
        las->head, las->record_bytes, slice(las->records, first, count, bytes), las->extended, las->extended_count});
  }
  return out;
}

/// Calls f() with parts of the lists, of at most `most` neighbours together, or of one list.
void for_each_part(const Rows& lists, std::int64_t most, const RowBlocks::Sink& f) {
  const auto& begins = lists.begins;
  for (std::size_t from = 0, to = 0; from + 1 < begins.size(); from = to) {
    const auto end =
        std::upper_bound(begins.begin() + static_cast<std::ptrdiff_t>(from) + 2, begins.end(), begins[from] + most);
    to = static_cast<std::size_t>(end - begins.begin()) - 1;
    const auto before = static_cast<std::size_t>(begins[from] - begins[0]);
    const auto count = static_cast<std::size_t>(begins[to] - begins[from]);
    Rows part{lists.first + static_cast<std::int64_t>(from),
              static_cast<std::int64_t>(to - from),
              0,
              begins.subspan(from, to - from + 1),
              {},
              lists.distances.subspan(before, count)};
    std::visit([&](const auto& ids) { part.ids = ids.subspan(before, count); }, lists.ids);
    f(part);
  }
}

}  // namespace

/// Rows together with the points that they belong to, which are read from files.
class Found::Join {
 public:
  /// @param most neighbours in a block, with those that `wanted` adds
  Join(const FoundInFiles& files, const Wanted& wanted, std::int64_t most,
       const std::function<void(const FoundBlock&)>& f)
      : files_(files), wanted_(wanted), f_(f) {
    if (wanted.data) named_.emplace(files.data, most, files.threads, &files.memory);
  }

  /// Calls f() with the block of these rows.
  void pass(const Rows& rows) {
    base::MemoryBudget& memory = files_.memory;
    const double query = bytes_per_point(files_.queries), neighbors = static_cast<double>(rows.distances.size());
    const double row = (wanted_.queries ? query : 0) + files_.products.bytes_per_row(query);
    const base::MemoryCharge charge(&memory, row_bytes(neighbors, static_cast<double>(rows.count) * row));
    base::MemoryCharge copies(&memory, 0);
    if (named_) {
      pick_points_of(rows);
      copies.resize(static_cast<double>(named_->cloud().points.size()) * files_.products.data_copies);
    }
    const Array<std::int32_t> places = places_of(rows);
    Rows placed = rows;
    placed.ids = std::span<const std::int32_t>(places);
    const auto read_queries = [&] {
      const base::MemoryCharge buffers(&memory, files_.queries.buffer_bytes());
      return files_.queries.read(rows.first, rows.count);
    };
    const Cloud queries = wanted_.queries ? read_queries() : Cloud();
    const Cloud none;
    f_({number_++, rows, placed, wanted_.queries ? queries : files_.queries.described(),
        named_ ? named_->cloud() : none, named_ ? named_->numbers() : std::span<const std::int64_t>()});
  }

 private:
  void pick_points_of(const Rows& rows) {
    const auto also = wanted_.also ? wanted_.also(rows.first, rows.count) : std::span<const std::int64_t>();
    const std::size_t most = named_->keeps_all() ? 0 : rows.distances.size() + also.size();
    const base::MemoryCharge naming(&files_.memory, NamedPoints::naming_bytes(static_cast<double>(most)));
    std::vector<std::int64_t> numbers;
    numbers.reserve(most);
    if (most > 0) {
      const auto is_there = [](auto id) { return id != k_missing_id; };
      std::visit([&](const auto& ids) { std::ranges::copy_if(ids, std::back_inserter(numbers), is_there); }, rows.ids);
      std::ranges::copy(also, std::back_inserter(numbers));
    }
    named_->pick(std::move(numbers));
  }

  Array<std::int32_t> places_of(const Rows& rows) const {
    Array<std::int32_t> places(rows.distances.size());
    std::visit(
        [&](const auto& ids) {
          base::parallel_for(std::ssize(ids), files_.threads, [&](std::int64_t i) {
            const std::int64_t id = ids[static_cast<std::size_t>(i)];
            places[static_cast<std::size_t>(i)] = id == k_missing_id ? k_missing_id : named_ ? named_->place_of(id) : 0;
          });
        },
        rows.ids);
    return places;
  }

  const FoundInFiles& files_;
  const Wanted& wanted_;
  const std::function<void(const FoundBlock&)>& f_;
  std::optional<NamedPoints> named_;
  std::int64_t number_ = 0;
};

void Found::for_each(const Wanted& wanted, const std::function<void(const FoundBlock&)>& f) const {
  if (files_) {
    const std::int64_t block = files_->block_rows;
    Join join(*files_, wanted, rows_.lists ? block : block * (rows_.k + (wanted.also ? rows_.k + 1 : 0)), f);
    if (rows_.queries == 0) return join.pass({.k = rows_.k});
    return rows_.for_each([&](const Rows& rows) {
      rows_.lists ? for_each_part(rows, block, [&](const Rows& part) { join.pass(part); }) : join.pass(rows);
    });
  }
  static const Cloud unread;  // a product that does not say what it needs shall fail here, too, not only from files
  constexpr std::int64_t most_listed = 1 << 18;  // 2 MB, beside what products make of them
  std::int64_t number = 0;
  const auto pass = [&](const Rows& rows) {
    const bool is_part = wanted.queries && rows.count < rows_.queries;
    const Cloud part = is_part ? slice(*queries_, rows.first, rows.count) : Cloud();
    const Cloud& queries = is_part ? part : wanted.queries ? *queries_ : unread;
    f({number++, rows, rows, queries, wanted.data ? *data_ : unread, {}});
  };
  rows_.for_each([&](const Rows& rows) {  // no lists are one block, too
    rows.begins.size() > 1 ? for_each_part(rows, most_listed, pass) : pass(rows);
  });
}

void Found::for_each_of_data(const std::function<void(const Cloud&)>& f) const {
  if (!files_) return f(*data_);
  const CloudSource& data = files_->data;
  const double bytes = bytes_per_point(data);
  const std::int64_t most = points_at_once(bytes);
  const base::MemoryCharge charge(&files_->memory, static_cast<double>(most) * bytes + data.buffer_bytes());
  for (std::int64_t first = 0; first < data.size(); first += most)
    f(data.read(first, std::min(most, data.size() - first)));
}

}  // namespace kann::flow
