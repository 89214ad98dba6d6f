#include "kann/transfer.hpp"

#include <atomic>
#include <utility>

#include "base/threads/parallel.hpp"
#include "products/attributes/methods.hpp"

namespace kann {
namespace {

using attributes::Transfer;

std::int64_t empty_rows(const Transfer& t) {
  std::atomic<std::int64_t> count{0};
  base::parallel_blocks(t.rows.count, t.threads, [&](int, std::int64_t begin, std::int64_t end) {
    std::int64_t empty = 0;
    for (std::int64_t query = begin; query < end; ++query) {
      bool is_empty = true;
      t.for_each_neighbor(query, [&](std::int32_t, std::size_t) { return is_empty = false; });
      empty += is_empty;
    }
    count += empty;
  });
  return count;
}

TransferResult run(const Transfer& t) {
  if (t.options.method == TransferMethod::rbf) return attributes::interpolated_values(t);
  TransferResult out;
  for (const Attribute& attribute : t.attributes) {
    if (t.options.method == TransferMethod::nearest) {
      out.attributes.push_back(attribute.with(nearest_values(t, attribute)));
    } else if (t.options.method == TransferMethod::vote) {
      out.attributes.push_back(attribute.with(most_frequent_values(t, attribute)));
    } else {
      attributes::Means means = weighted_means(t, attribute);
      out.nan_values += means.nan_values;
      out.attributes.push_back(attribute.with(std::move(means.values)));
    }
  }
  return out;
}

}  // namespace

TransferResult transfer(const PointsView& data, const PointsView& queries, const Rows& rows,
                        std::span<const Attribute> attributes, const TransferOptions& options) {
  check_transfer_options(options);
  Transfer t{data, queries, rows, attributes, options, base::thread_count(options.threads)};
  attributes::check(t);
  TransferResult out = run(t);
  out.without_neighbors = empty_rows(t);
  return out;
}

}  // namespace kann
