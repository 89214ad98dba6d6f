// Where in a file the points are, if each takes a fixed number of bytes, or a line; and their table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/input.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/fixed_rows.hpp"
#include "formats/table/line_rows.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/table.hpp"

namespace kann::formats {

/// Where the points of a file are. Whoever makes it has checked that the file holds all rows.
struct RowLayout {
  std::shared_ptr<Input> input = {};  ///< has the rows; its size is known
  std::string file = {};              ///< the name of the table in messages: that of the file, if it is empty
  FixedRows rows = {};                ///< for an array in Fortran order, those of its first column
  std::shared_ptr<const PackedRowSource> packed = {};  ///< gives the rows, if they are not as they are at rows.begin
  std::vector<RowField> axes = {};                     ///< one whose offset is past the stride is a column of its own
  std::string obstacle = {};                           ///< as RowCloud::obstacle
  std::optional<LineBody> lines = {};                  ///< gives the rows, if they are text
  /// Sets what the head of the file does not say, after looking at all of the file that says where its rows are; null:
  /// it is set.
  std::function<void(RowLayout&)> locate = {};
  bool is_estimate = false;                    ///< whether rows and axes are guesses until then
  std::string variant = {};                    ///< as Table::variant()
  double held_bytes = 0;                       ///< that are in memory beside the points while all are read
  std::optional<std::uint32_t> row_head = {};  ///< for fvecs: the dimension, with which each row begins
  std::vector<RowField> fields = {};           ///< of the attributes of `without_rows`
  /// All of the cloud but its rows, with the warnings about the layout: each attribute has no values, and LasRecords
  /// have no records.
  Cloud without_rows = {};

  /// Adds an attribute without values.
  void add_attribute(std::string name, const RowField& field);

  /// For arrays whose columns have no names: adds those of x, y and z that are asked for, which are its axes.
  /// @throws Error bad_input: others are asked for.
  void add_coordinates(const ReadRequest& options, const std::string& name);
};

/// A file whose points have a layout.
class FixedTable final : public Table {
 public:
  FixedTable(RowLayout layout, int threads) : layout_(std::move(layout)), threads_(threads) {}

  std::string variant() const override { return layout_.variant; }
  CloudEstimate estimate() const override;
  RowsInHead in_head() const override;
  RowCloud rows() const override;
  Cloud read() const override;

 private:
  const RowLayout layout_;
  const int threads_;
};

}  // namespace kann::formats
