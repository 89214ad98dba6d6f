#include "flow/rows/answer_in_memory.hpp"

#include <cstddef>

#include "kann/compare.hpp"

namespace kann::flow {

void AnswerInMemory::for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const {
  static const Cloud unread;  // a product that does not say what it needs shall fail here, too, not only from files
  const RowBlock rows{std::span<const std::int32_t>(neighbors_.ids), neighbors_.distances};
  f({0, 0, rows, neighbors_, wanted.queries ? queries_ : unread, wanted.data ? data_ : unread, {}});
}

Accuracy AnswerInMemory::verify(const AccuracyOptions& options) const {
  return measure_accuracy(data_.points, queries_.points, neighbors_, options);
}

Accuracy AnswerInMemory::compare(formats::ReferenceFile& reference, const std::string&,
                                 const AccuracyOptions& options) const {
  Neighbors rows{reference.queries(), reference.k(), {}, {}};
  rows.ids.resize(static_cast<std::size_t>(rows.queries * rows.k));
  reference.read_ids(0, rows.ids);
  return kann::compare(data_.points, queries_.points, neighbors_, rows, options);
}

}  // namespace kann::flow
