#include "formats/pcd/pcd_header.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "formats/files/refusal.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/lists.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

constexpr std::array<std::string_view, 10> k_keywords = {"VERSION", "FIELDS", "SIZE",      "TYPE",   "COUNT",
                                                         "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};
constexpr std::array<std::string_view, 6> k_versions = {"0.7", ".7", "0.6", ".6", "0.5", ".5"};
constexpr std::array<std::pair<std::string_view, PcdEncoding>, 3> k_encodings = {{
    {"ascii", PcdEncoding::ascii},
    {"binary", PcdEncoding::binary},
    {"binary_compressed", PcdEncoding::binary_compressed},
}};

/// A header line that has been read: its words after the keyword.
struct Statement {
  std::int64_t line = 0;  ///< 0: there is none
  std::vector<std::string_view> words;
};

struct PcdType {
  std::string_view text;
  std::uint64_t bytes;
  ScalarType type;
};
constexpr std::array<PcdType, 10> k_types = {{
    {"I1", 1, ScalarType::int8},
    {"U1", 1, ScalarType::uint8},
    {"I2", 2, ScalarType::int16},
    {"U2", 2, ScalarType::uint16},
    {"I4", 4, ScalarType::int32},
    {"U4", 4, ScalarType::uint32},
    {"I8", 8, ScalarType::int64},
    {"U8", 8, ScalarType::uint64},
    {"F4", 4, ScalarType::float32},
    {"F8", 8, ScalarType::float64},
}};

class PcdHeaderParser {
 public:
  PcdHeaderParser(std::string_view bytes, const std::string& file, const ReadRequest& options)
      : file_(file),
        options_(options),
        is_short_(bytes.size() < k_pcd_header_bytes),
        lines_(bytes.substr(0, k_pcd_header_bytes)) {}

  PcdHeader parse() {
    while (of("DATA").line == 0) read_statement();
    header_.body = lines_.offset();
    header_.lines = lines_.number();
    check_version();
    read_encoding();
    read_fields();
    read_point_count();
    find_axes();
    return std::move(header_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { fail_at(lines_.number(), what); }
  [[noreturn]] void fail_at(std::int64_t line, const std::string& what) const { refuse_line(file_, line, what); }

  Statement& of(std::string_view keyword) {
    return statements_[static_cast<std::size_t>(std::ranges::find(k_keywords, keyword) - k_keywords.begin())];
  }

  void read_statement() {
    std::string_view line;
    const bool is_line = lines_.next(line);
    if (!is_short_ && (!is_line || lines_.offset() == k_pcd_header_bytes))
      refuse(file_, fmt::format("the header does not end in the first {} bytes", k_pcd_header_bytes));
    if (!is_line) refuse(file_, "no DATA line: the file ends within the PCD header");
    if (line.find('\0') != std::string_view::npos) fail("NUL byte in the header");
    std::string_view rest = line;
    std::string_view keyword = take_word(rest);
    if (keyword.empty() || keyword.front() == '#') return;
    if (keyword == "COLUMNS") keyword = "FIELDS";  // as in version 0.5
    if (std::ranges::find(k_keywords, keyword) == k_keywords.end())
      fail(fmt::format("{} {}", has_keyword_ ? "unknown header line" : "not a PCD file: unknown header line",
                       quote(line)));
    has_keyword_ = true;
    Statement& statement = of(keyword);
    if (statement.line > 0) fail(fmt::format("a second {} line", keyword));
    statement.line = lines_.number();
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest))
      statement.words.push_back(word);
    if (statement.words.empty()) fail(fmt::format("{} has no value", keyword));
  }

  /// The only word of a statement, which must be there.
  std::string_view word_of(std::string_view keyword) {
    const Statement& statement = of(keyword);
    if (statement.words.size() > 1)
      fail_at(statement.line, fmt::format("{} has {} values (need 1)", keyword, statement.words.size()));
    return statement.words[0];
  }

  std::uint64_t count_of(std::string_view keyword, std::string_view word, std::uint64_t minimum) {
    std::uint64_t count = 0;
    const NumberFault fault = parse_count(word, count);
    if (fault == NumberFault::out_of_range)
      fail_at(of(keyword).line, fmt::format("{} is out of range (got {}, need less than 2^64)", keyword, quote(word)));
    if (fault != NumberFault::none || count < minimum)
      fail_at(of(keyword).line,
              fmt::format("{} is not a whole number of at least {} (got {})", keyword, minimum, quote(word)));
    return count;
  }

  void check_version() {
    if (of("VERSION").line == 0) return;
    if (const std::string_view version = word_of("VERSION"); std::ranges::count(k_versions, version) == 0)
      fail_at(of("VERSION").line, fmt::format("unknown version (got {}, need 0.5, 0.6 or 0.7)", quote(version)));
  }

  void read_encoding() {
    const std::string_view name = word_of("DATA");
    const auto* const found = std::ranges::find(k_encodings, name, &decltype(k_encodings)::value_type::first);
    if (found == k_encodings.end())
      fail_at(of("DATA").line,
              fmt::format("unknown encoding (got {}, need ascii, binary or binary_compressed)", quote(name)));
    header_.encoding = found->second;
  }

  /// Checks that a statement is there and has a value for every field, and returns these values.
  const std::vector<std::string_view>& words_per_field(std::string_view keyword) {
    const Statement& statement = of(keyword);
    if (statement.line == 0) refuse(file_, fmt::format("no {} line in the header", keyword));
    if (const std::size_t fields = of("FIELDS").words.size(); statement.words.size() != fields)
      fail_at(statement.line,
              fmt::format("{} has {} (need {}, as FIELDS)", keyword, counted(statement.words.size(), "value"), fields));
    return statement.words;
  }

  void read_fields() {
    const std::vector<std::string_view>& names = words_per_field("FIELDS");
    const std::vector<std::string_view>& sizes = words_per_field("SIZE");
    const std::vector<std::string_view>& types = words_per_field("TYPE");
    const bool has_counts = of("COUNT").line > 0;
    if (has_counts) words_per_field("COUNT");
    for (std::size_t i = 0; i < names.size(); ++i) {
      PcdField field;
      field.name = names[i];
      field.type_text = std::string(types[i]) + std::string(sizes[i]);
      const auto* const type = std::ranges::find(k_types, field.type_text, &PcdType::text);
      if (type == k_types.end())
        fail_at(of("TYPE").line, fmt::format("field {} is of unknown type (TYPE {}, SIZE {})", quote(names[i]),
                                             quote(types[i]), quote(sizes[i])));
      field.type = type->type;
      field.size = type->bytes;
      field.count = has_counts ? count_of("COUNT", of("COUNT").words[i], 1) : 1;
      field.offset = header_.point_bytes;
      field.word = header_.point_words;
      if (WideSize{field.size} * field.count + header_.point_bytes > k_pcd_point_bytes)
        fail_at(of("FIELDS").line, fmt::format("a point has more than {} bytes", k_pcd_point_bytes));
      header_.point_bytes += field.size * field.count;
      header_.point_words += field.count;
      header_.fields.push_back(std::move(field));
    }
  }

  void read_point_count() {
    const bool has_width = of("WIDTH").line > 0, has_points = of("POINTS").line > 0;
    if (!has_width && !has_points) refuse(file_, "neither WIDTH nor POINTS in the header");
    if (has_points) header_.points = count_of("POINTS", word_of("POINTS"), 0);
    if (!has_width) return;
    const std::uint64_t width = count_of("WIDTH", word_of("WIDTH"), 0);
    const std::uint64_t height = of("HEIGHT").line > 0 ? count_of("HEIGHT", word_of("HEIGHT"), 0) : 1;
    const WideSize product = WideSize{width} * height;
    if (has_points ? product != header_.points : product > std::uint64_t(-1))
      fail_at(of(has_points ? "POINTS" : "WIDTH").line,
              fmt::format("WIDTH {} x HEIGHT {} are {} points (need {})", width, height, product,
                          has_points ? fmt::format("{}, as POINTS", header_.points) : "less than 2^64"));
    header_.points = static_cast<std::uint64_t>(product);
  }

  void find_axes() {
    TableColumns table{"field", header_.fields.size()};
    for (const PcdField& field : header_.fields) table.names.push_back(field.name);
    header_.axes =
        options_.columns.empty() ? named_axes(table.names, angles_of(options_)) : chosen_axes(table, options_, file_);
    if (header_.axes.empty())
      refuse(file_,
             fmt::format("the fields do not say which are {}: {}; name them with {}{}", coordinate_names(options_.sky),
                         list_of(table.names), options_.columns_option, options_.columns_note));
    for (const std::size_t axis : header_.axes) {
      const PcdField& field = header_.fields[axis];
      if (field.count != 1)
        refuse(file_, fmt::format("field {} has {} values per point (need 1)", quote(field.name), field.count));
      if (!fits_float64(field.type))
        refuse(file_, fmt::format("field {} is not float32, float64 or an integer of at most 32 bits: {}",
                                  quote(field.name), quote(field.type_text)));
    }
  }

  const std::string& file_;
  const ReadRequest& options_;
  const bool is_short_;  // the file does not exceed the limit on a header
  Lines lines_;
  std::array<Statement, k_keywords.size()> statements_;
  PcdHeader header_;
  bool has_keyword_ = false;
};

}  // namespace

PcdHeader parse_pcd_header(std::string_view bytes, const std::string& file, const ReadRequest& options) {
  return PcdHeaderParser(bytes, file, options).parse();
}

}  // namespace kann::formats
