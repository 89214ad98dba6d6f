// What is in the file of a cloud.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/facts/facts.hpp"
#include "formats/table/read_request.hpp"
#include "problem/survey.hpp"
#include "products/statistics/column_range.hpp"

namespace kann::cli {

struct ColumnContents {
  std::string name;
  std::string_view type;                   ///< "uint16"; "text"
  statistics::ColumnRange range = {};      ///< of numbers
  std::optional<std::int64_t> texts = {};  ///< of text: how many different ones there are, without the empty one
};

struct CloudContents {
  std::string path;
  std::string format;                  ///< as FileContents::format()
  std::optional<std::uint64_t> bytes;  ///< of a regular file
  int dimensions = 3;
  std::vector<std::string> coordinates;  ///< the names of the columns that are x, y and z
  problem::Survey survey;                ///< of the coordinates
  std::vector<ColumnContents> columns;   ///< in the order of the file
  std::optional<CoordinateSystem> system;
  std::vector<std::string> warnings;

  std::int64_t points() const { return survey.valid + survey.invalid; }

  /// The length of the box around the valid points along an axis.
  double side(std::size_t axis) const { return survey.box.hi[axis] - survey.box.lo[axis]; }

  /// Valid points per unit of the area of the box in x and y or, with three axes, of its volume. None if that is 0.
  std::optional<double> density(std::size_t axes) const;
};

/// What is known of a file; docs/info.schema.json says what the keys mean.
Facts facts_of_file(const CloudContents& contents);

/// What kann info prints of it: some lines about the file and its points, and a table of its columns. They fit in 79
/// columns of a terminal, unless names or numbers are long.
std::string contents_text(const CloudContents& contents);

/// Reads a file once, in blocks. Blocks. @param on_progress called with the points read so far, and with all; may be
/// empty @throws Error as read_points().
CloudContents look_into(const std::string& path, const formats::ReadRequest& options, int threads,
                        const std::function<void(std::int64_t done, std::int64_t total)>& on_progress = {});

}  // namespace kann::cli
