// What a job computes from the neighbours: outlier flags, attributes of the data at the queries, and the
// shape of neighbourhoods.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/io.hpp"
#include "kann/outliers.hpp"
#include "kann/transfer.hpp"

#include "cli/asked/wanted_attributes.hpp"
#include "cli/job/cluster_labels.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"
#include "flow/rows/answer.hpp"
#include "flow/rows/column_store.hpp"

namespace kann::cli {

/// An attribute of the data that is transferred to the queries.
struct Transferred {
  TransferMethod method;  ///< the method of --by, unless transfer_method() chose another
  TransferMethod asked;   ///< the method of --by
  TransferSource from;    ///< the attribute of the data

  bool is_voted() const { return method == TransferMethod::vote; }

  /// Whether the values keep their type where others become float64, which does not hold all numbers of 64 bits.
  bool keeps_type() const {
    const AttributeValues& values = from.attribute->values;
    return is_voted() || (method == TransferMethod::nearest && (std::holds_alternative<Array<std::int64_t>>(values) ||
                                                                std::holds_alternative<Array<std::uint64_t>>(values)));
  }
  const std::string& name() const { return from.attribute->name; }
};

/// What is computed for the queries of a block.
struct BlockColumns {
  std::span<const Attribute> transferred;  ///< in the order of QueryColumns::transferred(), as transfer() gives them
  std::span<const Attribute> features;     ///< in the order of QueryColumns::features()
  const Array<std::uint8_t>* is_outlier = nullptr;  ///< per query: 1, or 0; null: not asked for
};

/// Computes what the options ask for, block by block, and keeps it for the products that need it.
class QueryColumns {
 public:
  /// Blocks. `options` and `answer` must outlive this object.
  /// @param folder where a temporary file goes; none: the values stay in memory
  /// @param memory is charged with the values that are in memory; may be null
  /// @param labels of clusters, in the place of what neighbours give; null: there are none; must outlive this object
  /// @param limits those of outliers, if they are asked for
  /// @throws Error as transfer(), features(), outlier_flags() and flow::AnswerBlocks::for_each().
  QueryColumns(const Options& options, const flow::AnswerBlocks& answer, const OutlierLimits& limits, int threads,
               const std::optional<std::string>& folder, base::MemoryBudget* memory,
               const ClusterLabels* labels = nullptr);

  /// The columns of a block, by its number. Valid until the next call. @throws Error resources.
  BlockColumns of_block(std::int64_t number) const;

  const ColumnFacts& facts() const { return facts_; }

  /// The attributes that are transferred.
  const std::vector<Transferred>& transferred() const { return described_; }
  const ClusterLabels* labels() const { return labels_; }
  const Options& options() const { return options_; }

  /// What feature_columns() says.
  const std::vector<Attribute>& features() const { return features_; }

  bool has_outliers() const { return options_.outliers.has_value(); }

 private:
  void describe();
  std::vector<Attribute> transfer_all(const flow::AnswerBlock& block);
  std::vector<Attribute> describe_neighborhoods(const flow::AnswerBlock& block);
  void count_beyond();
  void finish_facts(const OutlierLimits& limits);

  const Options& options_;
  const flow::AnswerBlocks& answer_;
  const int threads_;
  const ClusterLabels* const labels_;
  std::vector<Transferred> described_;
  const std::vector<Attribute> features_;
  ColumnFacts facts_;
  std::int64_t outliers_ = 0;
  flow::ColumnStore store_;
};

/// The warnings about these facts.
std::vector<std::string> warnings_of(const Options& options, const ColumnFacts& facts, std::int64_t queries);

}  // namespace kann::cli
