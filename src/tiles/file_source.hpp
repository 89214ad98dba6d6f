// A file as a cloud that comes in blocks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/made_ahead.hpp"
#include "io/points/cloud_rows.hpp"
#include "tiles/point_source.hpp"

namespace kann::tiles {

class FileSource : public PointSource {
 public:
  FileSource(std::string name, std::unique_ptr<io::RowSource> rows) : name_(std::move(name)), rows_(std::move(rows)) {}

  const std::string& name() const override { return name_; }
  int dimensions() const override { return rows_->dimensions(); }
  bool is_float64() const override { return rows_->is_float64(); }
  std::int64_t size() const override { return rows_->size(); }
  void for_each_block(std::int64_t begin, std::int64_t end, std::int64_t most, const Block& f) const override {
    base::for_each_made_ahead((end - begin + most - 1) / most,
                              [&](std::int64_t block) {
                                const std::int64_t first = begin + block * most;
                                return rows_->read(first, std::min(most, end - first));
                              },
                              [&](std::int64_t block, const Points& points) { f(begin + block * most, points); });
  }

 private:
  std::string name_;
  std::unique_ptr<io::RowSource> rows_;
};

}  // namespace kann::tiles
