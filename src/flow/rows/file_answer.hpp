// The answer of a search from files, by one rank or several: the rows are in temporary files, and points are read from
// the files again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "flow/rows/answer.hpp"
#include "flow/rows/joined_rows.hpp"
#include "flow/rows/row_store.hpp"
#include "flow/sources/point_source.hpp"
#include "products/accuracy/block_comparison.hpp"
#include "products/accuracy/cloud_facts.hpp"

namespace kann::flow {

class FileAnswer : public Answer {
 public:
  /// The arguments must outlive this object. @param queries null: a self-query
  /// @param query_skipped queries that are not valid
  /// @param memory is charged with blocks; verify() stays below its limit
  /// @param products what is made of each block
  FileAnswer(const CloudSource& data, const CloudSource* queries, const RowStore& rows, std::int64_t query_skipped,
             base::MemoryBudget& memory, const ProductShape& products, int threads)
      : source_{data, queries ? *queries : data, products, memory, threads},
        is_self_(!queries),
        rows_(rows),
        query_skipped_(query_skipped) {}

  /// Bytes of memory per row that is compared: the ids of the row and, twice, those of the reference; and what the
  /// comparison takes.
  static double compared_bytes(double k, double reference_k) {
    return (k + 2 * reference_k) * sizeof(std::int64_t) + accuracy::BlockComparison::row_bytes(k, reference_k);
  }

  /// The same where the rows of the result are in memory.
  static double compared_bytes_in_memory(double reference_k) {
    return accuracy::BlockComparison::row_bytes(0, reference_k);
  }

  const Cloud& described_data() const override { return source_.data.described(); }
  const Cloud& described_queries() const override { return source_.queries.described(); }
  std::int64_t query_count() const override { return rows_.queries(); }
  std::int64_t blocks() const override { return std::max<std::int64_t>(1, rows_.blocks()); }
  void for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const override;
  void for_each_of_data(const std::function<void(const Cloud&)>& f) const override {
    flow::for_each_of_data(source_, f);
  }
  RowBlocks rows() const override;
  Accuracy verify(const AccuracyOptions& options) const override;
  Accuracy compare(formats::ReferenceFile& reference, const std::string& name,
                   const AccuracyOptions& options) const override;

 private:
  accuracy::CloudFacts facts() const;

  const JoinedClouds source_;
  const bool is_self_;
  const RowStore& rows_;
  const std::int64_t query_skipped_;
};

}  // namespace kann::flow
