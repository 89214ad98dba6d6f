#include "flow/rows/joined_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/threads/parallel.hpp"

namespace kann::flow {
namespace {

/// The numbers of all points that the rows name.
void append_ids(const Rows& rows, std::vector<std::int64_t>& numbers) {
  std::visit(
      [&](const auto& ids) {
        std::ranges::copy_if(ids, std::back_inserter(numbers), [](auto id) { return id != k_missing_id; });
      },
      rows.ids);
}

}  // namespace

JoinedRows::JoinedRows(const JoinedClouds& clouds, const Wanted& wanted, std::int64_t most,
                       const std::function<void(const AnswerBlock&)>& f)
    : clouds_(clouds), wanted_(wanted), f_(f) {
  if (wanted.data) named_.emplace(clouds.data, most, clouds.threads, &clouds.memory);
}

void JoinedRows::pass(const Rows& rows) {
  base::MemoryBudget& memory = clouds_.memory;
  const double query = bytes_per_point(clouds_.queries);
  const double row =
      row_bytes(static_cast<double>(rows.k), wanted_.queries ? query : 0) + clouds_.products.bytes_per_row(query);
  const base::MemoryCharge charge(&memory, static_cast<double>(rows.count) * row);
  base::MemoryCharge copies(&memory, 0);
  if (named_) {
    std::vector<std::int64_t> numbers;
    const auto also = wanted_.also ? wanted_.also(rows.first, rows.count) : std::span<const std::int64_t>();
    const std::size_t most = named_->keeps_all() ? 0 : rows.distances.size() + also.size();
    const base::MemoryCharge naming(&memory, NamedPoints::naming_bytes(static_cast<double>(most)));
    numbers.reserve(most);
    if (most > 0) {
      append_ids(rows, numbers);
      std::ranges::copy(also, std::back_inserter(numbers));
    }
    named_->pick(std::move(numbers));
    copies.resize(static_cast<double>(named_->cloud().points.size()) * clouds_.products.data_copies);
  }
  Neighbors neighbors{rows.count, rows.k, Array<std::int32_t>(rows.distances.size()),
                      Array<float>(rows.distances.begin(), rows.distances.end())};
  std::visit(
      [&](const auto& ids) {
        base::parallel_for(std::ssize(ids), clouds_.threads, [&](std::int64_t i) {
          const std::int64_t id = ids[static_cast<std::size_t>(i)];
          neighbors.ids[static_cast<std::size_t>(i)] = id == k_missing_id ? k_missing_id
                                                       : named_           ? named_->place_of(id)
                                                                          : 0;
        });
      },
      rows.ids);
  const auto read_queries = [&] {
    const base::MemoryCharge buffers(&memory, clouds_.queries.buffer_bytes());
    return clouds_.queries.read(rows.first, rows.count);
  };
  const Cloud queries = wanted_.queries ? read_queries() : Cloud();
  const Cloud none;
  f_({number_++, rows, neighbors, wanted_.queries ? queries : clouds_.queries.described(),
      named_ ? named_->cloud() : none, named_ ? named_->numbers() : std::span<const std::int64_t>()});
}

void for_each_of_data(const JoinedClouds& clouds, const std::function<void(const Cloud&)>& f) {
  const CloudSource& data = clouds.data;
  const double bytes = bytes_per_point(data);
  const std::int64_t most = points_at_once(bytes);
  const base::MemoryCharge charge(&clouds.memory, static_cast<double>(most) * bytes + data.buffer_bytes());
  for (std::int64_t first = 0; first < data.size(); first += most)
    f(data.read(first, std::min(most, data.size() - first)));
}

}  // namespace kann::flow
