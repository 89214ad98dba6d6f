// The answer of a search for all neighbours within a radius, as products take it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/memory_budget.hpp"
#include "flow/rows/answer.hpp"
#include "flow/rows/joined_rows.hpp"
#include "flow/rows/padded_lists.hpp"

namespace kann::flow {

/// The lists of a search whose clouds are in memory.
class ListAnswerInMemory : public AnswerBlocks {
 public:
  /// The arguments must outlive this object.
  ListAnswerInMemory(ListBlocks lists, const Cloud& data, const Cloud& queries)
      : lists_(std::move(lists), k_most_places), data_(data), queries_(queries) {}

  const Cloud& described_data() const override { return data_; }
  const Cloud& described_queries() const override { return queries_; }
  std::int64_t query_count() const override { return lists_.queries(); }
  std::int64_t blocks() const override { return lists_.blocks(); }
  void for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const override;
  void for_each_of_data(const std::function<void(const Cloud&)>& f) const override { f(data_); }

 private:
  static constexpr std::int64_t k_most_places = 1 << 18;  // of a block: 4 MB with the copy of the rows

  const PaddedLists lists_;
  const Cloud &data_, &queries_;
};

/// The lists of a search whose clouds are in files, on rank 0.
class FileListAnswer : public AnswerBlocks {
 public:
  /// What the arguments refer to must outlive this object. @param most neighbours in a block, unless a list is longer
  FileListAnswer(ListBlocks lists, std::int64_t most, const JoinedClouds& clouds)
      : lists_(std::move(lists), most), clouds_(clouds) {}

  const Cloud& described_data() const override { return clouds_.data.described(); }
  const Cloud& described_queries() const override { return clouds_.queries.described(); }
  std::int64_t query_count() const override { return lists_.queries(); }
  std::int64_t blocks() const override { return lists_.blocks(); }
  void for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const override;
  void for_each_of_data(const std::function<void(const Cloud&)>& f) const override {
    flow::for_each_of_data(clouds_, f);
  }

 private:
  const PaddedLists lists_;
  const JoinedClouds clouds_;
};

}  // namespace kann::flow
