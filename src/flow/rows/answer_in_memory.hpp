// The answer of a search all of which is in memory: it has one block.
#pragma once

#include "kann/points.hpp"

#include "flow/rows/answer.hpp"

namespace kann::flow {

class AnswerInMemory : public Answer {
 public:
  /// The arguments must outlive this object.
  AnswerInMemory(const Cloud& data, const Cloud& queries, const Neighbors& neighbors)
      : data_(data), queries_(queries), neighbors_(neighbors) {}

  const Cloud& described_data() const override { return data_; }
  const Cloud& described_queries() const override { return queries_; }
  std::int64_t query_count() const override { return neighbors_.queries; }
  std::int64_t blocks() const override { return 1; }
  void for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const override;
  void for_each_of_data(const std::function<void(const Cloud&)>& f) const override { f(data_); }
  RowBlocks rows() const override { return one_block(neighbors_); }
  Accuracy verify(const AccuracyOptions& options) const override;
  Accuracy compare(formats::ReferenceFile& reference, const std::string& name,
                   const AccuracyOptions& options) const override;

 private:
  const Cloud &data_, &queries_;
  const Neighbors& neighbors_;
};

}  // namespace kann::flow
