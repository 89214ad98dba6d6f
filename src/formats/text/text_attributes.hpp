// The attributes of a text file: columns whose type only their cells say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kann/io.hpp"

#include "formats/table/attributes.hpp"
#include "formats/text/number_column.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

/// The different texts of a column, each with its number; number 0 is the empty text.
class TextNumbers {
 public:
  TextNumbers() { add(""); }

  /// The number of a text; −1 if it has not been added.
  std::int32_t find(std::string_view text) const;

  /// The number of a text, which is added if it is new; −1 if there are more than int32 can count.
  std::int32_t add(std::string_view text);

  const std::deque<std::string>& texts() const { return texts_; }

 private:
  std::deque<std::string> texts_;  // they stay where they are, for the keys
  std::unordered_map<std::string_view, std::int32_t> numbers_;
};

/// A column that has text after cells that were read as numbers.
struct LateText {
  std::size_t column;  ///< from 0
  std::int64_t line;   ///< of the first text
};

/// A column has the type that NumberColumn gives it. With ReadOptions::texts, it may be text. A column without a name
/// is called `column_4`, after its number from 1.
class TextAttributes {
 public:
  TextAttributes() = default;

  /// @param text_columns columns, from 0, that are text whatever their first cells are
  /// @throws Error bad_input, as chosen_attributes(), which also says what goes to `warnings`; more than 4,096 columns,
  ///         if all are asked for.
  TextAttributes(const TextLayout& layout, const ReadOptions& options, std::span<const std::size_t> text_columns,
                 const std::string& file, std::vector<std::string>& warnings);

  /// Whether add() is to be called with the cells of the column.
  bool has(std::size_t column) const { return column < of_column_.size() && of_column_[column] != k_none; }

  /// Takes the cell of the next row in a column for which has() is true. If the cell is no
  /// number, and cannot be text, and the column is not asked for by name, the column is left out of the attributes.
  /// @throws Error bad_input, with the line, if it is no number and the column is asked for by name; resources.
  void add(std::size_t column, const TextCell& of_row, std::int64_t line);

  /// The columns for which all rows have to be read again, as text. If there is one, what was read does not count.
  const std::vector<LateText>& late_texts() const { return late_texts_; }

  /// Drops the values so far; the types that they need stay.
  void drop_values();

  /// The attributes that are not left out, with the types so far and no values, to read rows again: add() then refuses
  /// whatever is no number, and a value that does not have the type so far changes the type. `file` is its name in
  /// messages, which must outlive the result.
  TextAttributes known(const std::string& file) const;

  /// Gives the cloud its attributes, and a warning that names those which are left out.
  void move_to(Cloud& cloud);

 private:
  static constexpr std::size_t k_none = static_cast<std::size_t>(-1);
  struct Column {
    std::string name;
    NumberColumn numbers = {};
    std::string fault = {};                        // why it is left out
    bool is_asked_for = false;                     // by name
    bool has_numbers = false;                      // whether a cell so far was not empty, and no text
    std::shared_ptr<TextNumbers> texts = nullptr;  // set: the column is text, and `numbers` are int32, of these texts
  };

  bool become_text(std::size_t column, std::int64_t line);
  std::int32_t number_of(const Column& column, const TextCell& of_row);
  void leave_out(std::size_t column, const std::string& fault);

  const std::string* file_ = nullptr;
  bool takes_texts_ = false;  // whether columns may become text
  bool takes_names_ = false;  // whether names that look like numbers make them text
  bool has_decimal_commas_ = false;
  bool is_known_ = false;  // whether all texts have been read before
  double text_bytes_ = 0;  // of texts since memory was checked last
  ChosenAttributes chosen_;
  std::vector<LateText> late_texts_;
  std::vector<Column> columns_;         // one for each of chosen_.columns
  std::vector<std::size_t> of_column_;  // the place in columns_ of each column of the file
};

}  // namespace kann::formats
