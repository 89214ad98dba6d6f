#include "flow/rows/list_answer.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <variant>

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

}  // namespace

void ListAnswerInMemory::for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const {
  static const Cloud unread;  // as in AnswerInMemory
  std::int64_t number = 0;
  lists_.for_each([&](const Rows& rows) {
    const auto& ids = std::get<std::span<const std::int32_t>>(rows.ids);
    const Neighbors neighbors{rows.count, rows.k, Array<std::int32_t>(ids.begin(), ids.end()),
                              Array<float>(rows.distances.begin(), rows.distances.end())};
    const bool is_part = wanted.queries && rows.count < query_count();
    const Cloud part = is_part ? slice(queries_, rows.first, rows.count) : Cloud();
    f({number++,
       rows,
       neighbors,
       is_part          ? part
       : wanted.queries ? queries_
                        : unread,
       wanted.data ? data_ : unread,
       {}});
  });
}

void FileListAnswer::for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const {
  const base::MemoryCharge charge(&clouds_.memory, lists_.bytes());
  JoinedRows joined(clouds_, wanted, lists_.most(), f);
  lists_.for_each([&](const Rows& rows) { joined.pass(rows); });
}

}  // namespace kann::flow
