#include "flow/rows/points_answer.hpp"

#include "kann/error.hpp"

namespace kann::flow {
namespace {

[[noreturn]] void refuse_to_judge() { throw Error(ErrorKind::internal, "rows without neighbours are not judged"); }

}  // namespace

void PointsAnswer::for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const {
  const double point = bytes_per_point(points_);
  for (std::int64_t number = 0; number < blocks(); ++number) {
    const std::int64_t first = number * block_points_, count = std::min(block_points_, query_count() - first);
    const base::MemoryCharge charge(
        &memory_, static_cast<double>(count) * ((wanted.queries ? point : 0) + products_.bytes_per_row(point)));
    Cloud cloud;
    if (wanted.queries) {
      const base::MemoryCharge reading(&memory_, points_.buffer_bytes());
      cloud = points_.read(first, count);
    }
    const Neighbors none{count, 0, {}, {}};
    const Cloud& queries = wanted.queries ? cloud : points_.described();
    f({number, {.first = first}, none, queries, queries, {}});
  }
}

void PointsAnswer::for_each_of_data(const std::function<void(const Cloud&)>& f) const {
  for_each({.queries = true}, [&](const AnswerBlock& block) { f(block.queries); });
}

Accuracy PointsAnswer::verify(const AccuracyOptions&) const { refuse_to_judge(); }

Accuracy PointsAnswer::compare(formats::ReferenceFile&, const std::string&, const AccuracyOptions&) const {
  refuse_to_judge();
}

}  // namespace kann::flow
