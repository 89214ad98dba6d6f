// A file as a cloud that comes in blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "kann/compare.hpp"

#include "base/memory_budget.hpp"
#include "base/threads/made_ahead.hpp"
#include "flow/sources/point_source.hpp"
#include "formats/cloud_rows.hpp"

namespace kann::flow {

class FileSource : public CloudSource {
 public:
  /// @param begin, end the rows that hash() is of: they will be read in their order at least once
  /// @param memory is charged with blocks
  FileSource(std::string name, std::unique_ptr<formats::RowSource> rows, std::int64_t begin, std::int64_t end,
             int threads, base::MemoryBudget* memory)
      : name_(std::move(name)),
        rows_(std::move(rows)),
        next_hashed_(begin),
        end_hashed_(end),
        threads_(threads),
        memory_(memory),
        texts_(memory, text_bytes(*this)) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return rows_->dimensions(); }
  bool is_float64() const override { return rows_->is_float64(); }
  std::int64_t size() const override { return rows_->size(); }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    const base::MemoryCharge charge(memory_, block_bytes(std::min(most, end - begin)));
    base::for_each_made_ahead((end - begin + most - 1) / most,
                              [&](std::int64_t block) {
                                const std::int64_t first = begin + block * most;
                                return rows_->read_points(first, std::min(most, end - first));
                              },
                              [&](std::int64_t block, const Points& points) {
                                add_to_hash(begin + block * most, points);
                                f(begin + block * most, points);
                              });
  }

  /// While a block is in use, the next is read.
  double block_bytes(std::int64_t most) const override {
    return 2 * CloudSource::block_bytes(most) + rows_->buffer_bytes();
  }
  double buffer_bytes() const override { return rows_->buffer_bytes(); }

  const Cloud& described() const override { return rows_->without_rows(); }
  Cloud read(std::int64_t first, std::int64_t count) const override { return rows_->read(first, count); }
  std::uint64_t hash() const override { return hash_; }

 private:
  void add_to_hash(std::int64_t first, const PointsView& points) const {
    const std::int64_t end = std::min(first + points.size(), end_hashed_);
    if (next_hashed_ < first || next_hashed_ >= end) return;
    const auto d = static_cast<std::size_t>(points.dimensions);
    std::visit(
        [&](const auto& coordinates) {
          const auto rest = coordinates.subspan(static_cast<std::size_t>(next_hashed_ - first) * d,
                                                static_cast<std::size_t>(end - next_hashed_) * d);
          hash_ += coordinates_hash(PointsView(points.dimensions, rest), next_hashed_, threads_);
        },
        points.coordinates);
    next_hashed_ = end;
  }

  std::string name_;
  std::unique_ptr<formats::RowSource> rows_;
  mutable std::int64_t next_hashed_;
  const std::int64_t end_hashed_;
  mutable std::uint64_t hash_ = 0;
  const int threads_;
  base::MemoryBudget* const memory_;
  const base::MemoryCharge texts_;
};

}  // namespace kann::flow
