#include "flow/rows/answer_in_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

#include "kann/compare.hpp"

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "flow/rows/sample_check.hpp"
#include "flow/sources/point_source.hpp"
#include "problem/survey.hpp"

namespace kann::flow {
namespace {

class SourceInMemory final : public PointSource {
 public:
  explicit SourceInMemory(const PointsView& points) : points_(points) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return points_.dimensions; }
  bool is_float64() const override { return std::holds_alternative<std::span<const double>>(points_.coordinates); }
  std::int64_t size() const override { return points_.size(); }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    for (; begin < end; begin += most) f(begin, points_.part(begin, std::min(end, begin + most)));
  }

 private:
  const PointsView points_;
  const std::string name_;
};

}  // namespace

void AnswerInMemory::for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const {
  static const Cloud unread;  // a product that does not say what it needs shall fail here, too, not only from files
  f({0, neighbors_, neighbors_, wanted.queries ? queries_ : unread, wanted.data ? data_ : unread, {}});
}

/// nanoflann builds a tree on one thread, 10⁸ points in 53 s. If few queries are judged, trees of parts of the data are
/// built side by side, and each of them is searched for all of these queries.
Accuracy AnswerInMemory::verify(const AccuracyOptions& options) const {
  constexpr std::int64_t points_per_query = 16;
  const bool are_few = options.sample > 0 && options.sample < data_.points.size() / points_per_query;
  if (are_few && !options.groups && query_count() > options.sample) {
    const SourceInMemory data(data_.points), queries(queries_.points);
    const std::int64_t skipped = problem::survey(queries_.points, base::thread_count(options.threads)).invalid;
    return measure_sample({data, options.self_query ? nullptr : &queries, rows(), skipped, options.sample,
                           static_cast<double>(base::available_host_memory())},
                          options);
  }
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
