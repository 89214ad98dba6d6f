// A text table that is printed row by row.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace kann::bench {

class Table {
 public:
  /// Prints the title and the headers. The first column is left-aligned and `first_width` wide.
  Table(std::FILE* out, const std::string& title, int first_width, std::vector<std::string> headers);

  /// Prints a row; an empty cell becomes a dash.
  void row(const std::vector<std::string>& cells) const;

 private:
  std::FILE* out_;
  std::vector<int> widths_;
};

/// Milliseconds with three significant digits or all digits before the point: 0.0123, 1.23, 12.3, 1234.
std::string ms_text(double seconds);
/// `value` with `digits` digits after the point.
std::string number_text(double value, int digits);
/// Empty without a value.
std::string number_text(std::optional<double> value, int digits);
/// 2^20 for 20.
std::string power_text(int log2);

}  // namespace kann::bench
