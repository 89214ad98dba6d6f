// The attributes of a text file: columns whose type only their cells say.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "kann/array.hpp"

#include "formats/table/attributes.hpp"
#include "formats/table/read_request.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

/// Appends a value. @throws Error resources, which names the file.
template <class T>
void append(Array<T>& values, T value, const std::string& file);

/// A column of numbers whose type only its cells say: the first of these that holds all of them, so that whole numbers,
/// which may be names, keep their digits. Other numbers are rounded to float64. A cell that is_missing_value() is NaN;
/// -0 is float64, too.
class NumberColumn {
 public:
  using Values = std::variant<Array<std::int32_t>, Array<std::int64_t>, Array<std::uint64_t>, Array<double>>;

  /// Appends the number of a cell. Returns what is wrong with it ("is not a number"), also if it needs float64 in a
  /// column with a whole number that float64 does not hold; then the column is of no more use. Empty: nothing is wrong.
  /// @throws Error resources, which names the file.
  std::string add(std::string_view cell, const std::string& file);

  Values values;

 private:
  std::string add_whole(std::integral auto value, const std::string& file);
  std::string add_other(std::string_view cell, const std::string& file);
  std::string loss() const;
  template <class T>
  void widen(const std::string& file);

  bool has_negative_ = false;
  std::string inexact_ = {};  // the first whole number that float64 does not hold
};

/// The different texts of a column.
class TextNumbers {
 public:
  TextNumbers() = default;
  TextNumbers(const TextNumbers&) = delete;
  TextNumbers& operator=(const TextNumbers&) = delete;

  /// The value of a text in texts(); none if it has not been added.
  std::optional<std::int64_t> find(std::string_view text) const;

  std::int64_t add(std::string_view text);

  const Texts& texts() const { return texts_; }

 private:
  struct Hash {
    using is_transparent = void;
    const Texts* texts;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    std::size_t operator()(std::int64_t value) const { return (*this)(texts->at(value)); }
  };
  struct Equal {
    using is_transparent = void;
    const Texts* texts;
    bool operator()(std::int64_t a, std::int64_t b) const { return texts->at(a) == texts->at(b); }
    bool operator()(std::string_view a, std::int64_t b) const { return a == texts->at(b); }
    bool operator()(std::int64_t a, std::string_view b) const { return texts->at(a) == b; }
  };

  Texts texts_;
  std::unordered_set<std::int64_t, Hash, Equal> values_{0, {&texts_}, {&texts_}};
};

/// A column that has text after cells that were read as numbers.
struct LateText {
  std::size_t column;  ///< from 0
  std::int64_t line;   ///< of the first text
};

/// A column has the type that NumberColumn gives it. With ReadOptions::texts, it may be text; with `spelled`, it is. A
/// column without a name is called `column_4`, after its number from 1.
class TextAttributes {
 public:
  TextAttributes() = default;

  /// @param text_columns columns, from 0, that are text whatever their first cells are
  /// @throws Error bad_input, as chosen_attributes(), which also says what goes to `warnings`; more than 4,096 columns,
  ///         if all are asked for.
  TextAttributes(const TextLayout& layout, const ReadRequest& options, std::span<const std::size_t> text_columns,
                 const std::string& file, std::vector<std::string>& warnings);

  /// Says that rows that follow lie in `part`, which begins at this offset of the texts of the cloud.
  void begin_part(std::string_view part, std::size_t begin) {
    part_ = part.data();
    part_begin_ = begin;
  }

  /// The same, where these texts are to hold the part. @throws Error resources.
  /// @param most how many bytes all parts have, or 0
  void keep_part(std::string_view part, std::size_t most);

  /// Makes room for so many rows. @throws Error resources.
  void reserve(std::size_t rows);

  /// Takes the cells of the next row. If a cell is no number, and cannot be text, and its column is not asked for by
  /// name, the column is left out of the attributes.
  /// @param are_quoted whether the coordinates are in quotes, so that other numbers in quotes may be numbers
  /// @throws Error bad_input, with the line, if it is no number and the column is asked for by name; resources.
  void add(std::span<const TextCell> cells, bool are_quoted, std::int64_t line);

  /// The columns for which all rows have to be read again, as text. If there is one, what was read does not count.
  const std::vector<LateText>& late_texts() const { return late_texts_; }

  /// Drops the values so far; the types that they need stay.
  void drop_values();

  /// The attributes that are not left out, with the types so far and no values, to read rows again: add() then refuses
  /// whatever is no number, and a value that does not have the type so far changes the type. `file` is its name in
  /// messages, which must outlive the result.
  TextAttributes known(const std::string& file) const;

  /// Says how many bytes a row of the file has. To be called before move_to().
  void set_row_bytes(double bytes) {
    if (spelled_) spelled_->row_bytes = bytes;
  }

  /// Gives the cloud its attributes, and a warning that names those which are left out.
  void move_to(Cloud& cloud);

 private:
  struct Column {
    std::string name;
    std::size_t column;  // of the file, from 0
    bool is_spelled = false;
    NumberColumn numbers = {};
    std::string fault = {};                        // why it is left out
    bool is_asked_for = false;                     // by name
    bool takes_names = false;                      // as takes_names_, of this column
    bool has_numbers = false;                      // whether a cell so far was not empty, and no text
    std::shared_ptr<TextNumbers> texts = nullptr;  // set: the column is text, and `numbers` are values of these texts
  };

  void add(Column& to, const TextCell& cell, bool are_quoted, std::int64_t line);
  bool become_text(Column& column, std::int64_t line);
  static void leave_out(Column& column, const std::string& fault);
  std::int64_t value_of(const Column& column, const TextCell& cell);
  std::int64_t spelled_value_of(const TextCell& cell) const;

  const std::string* file_ = nullptr;
  bool takes_texts_ = false;  // whether columns may become text
  bool takes_names_ = false;  // whether names that look like numbers make them text
  bool has_decimal_commas_ = false;
  bool is_known_ = false;  // whether all texts have been read before
  double text_bytes_ = 0;  // of texts since memory was checked last
  ChosenAttributes chosen_;
  std::vector<LateText> late_texts_;
  std::vector<Column> columns_;     // one for each of chosen_.columns
  std::shared_ptr<Texts> spelled_;  // of all spelled columns; none if there are none
  const char* part_ = nullptr;
  std::size_t part_begin_ = 0;
};

}  // namespace kann::formats
