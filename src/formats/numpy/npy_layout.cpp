#include "formats/numpy/npy_layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/numpy/npy_literal.hpp"
#include "formats/table/axes.hpp"
#include "formats/table/columns.hpp"
#include "formats/table/lists.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

/// The type of one value, as in '<f4'.
struct NpyType {
  std::string_view text;           ///< as in the header
  std::optional<ScalarType> type;  ///< none if it is no number (text, dates, ...), or none that is read
  std::endian order = std::endian::little;
  std::uint64_t bytes = 0;
  bool is_array = false;  ///< whether it is an array of such values, within the structure
};

/// A field of a structured array: [('x', '<f4'), ('rgb', '|u1', (3,))]
struct NpyField {
  std::string_view name;
  NpyType type;              ///< type of the value; its `type` is none for arrays and structures within the structure
  std::uint64_t offset = 0;  ///< in the row
};

struct NpyFields {
  std::vector<NpyField> fields;  ///< in the order of the row, without unnamed padding
  std::uint64_t row_bytes = 0;
};

using namespace std::string_view_literals;

// Limits, so that a hostile header costs little, and sums of sizes fit 64 bits.
constexpr std::uint64_t k_row_bytes = std::uint64_t{1} << 40;
constexpr std::size_t k_fields = 4096;
constexpr int k_depth = 16;

constexpr std::array<std::pair<std::string_view, ScalarType>, 11> k_types = {{
    {"i1", ScalarType::int8},
    {"u1", ScalarType::uint8},
    {"i2", ScalarType::int16},
    {"u2", ScalarType::uint16},
    {"i4", ScalarType::int32},
    {"u4", ScalarType::uint32},
    {"i8", ScalarType::int64},
    {"u8", ScalarType::uint64},
    {"f2", ScalarType::float16},
    {"f4", ScalarType::float32},
    {"f8", ScalarType::float64},
}};

NpyFields read_fields(NpyLiteral& header, int depth);

/// The type that `text` names. `start` is its place in the header. @throws Error bad_input if its size is not known.
NpyType parse_npy_type(std::string_view text, std::size_t start, const NpyLiteral& header) {
  NpyType type{text, {}, std::endian::little, 0};
  std::string_view rest = text;
  const bool has_order = !rest.empty() && "<>|="sv.find(rest[0]) != std::string_view::npos;
  if (has_order && rest[0] == '>') type.order = std::endian::big;
  if (has_order) rest.remove_prefix(1);
  for (const auto& [name, scalar] : k_types)
    if (rest == name) type.type = scalar;
  const std::size_t digits = rest.find_first_not_of("0123456789", 1);  // a date ends with its unit, as in M8[ns]
  if (rest.empty() || parse_count(rest.substr(1, digits - 1), type.bytes) != NumberFault::none ||
      type.bytes > k_row_bytes)
    header.fail("a type of unknown size", start, text, "");
  if (rest[0] == 'U') type.bytes *= 4;
  return type;
}

/// Reads '(3,)' and returns the product; 1 if there is nothing to read.
std::uint64_t read_repeats(NpyLiteral& header) {
  std::uint64_t product = 1;
  if (header.accept(')')) return product;
  header.expect('(');
  while (!header.accept(')')) {
    const std::uint64_t size = header.read_size();
    if (WideSize{product} * size > k_row_bytes) header.fail("a field is too large");
    product *= size;
    if (header.accept(',')) continue;
    header.expect(')');
    break;
  }
  header.expect(')');
  return product;
}

/// Reads "name" or ("title", "name").
std::string_view read_name(NpyLiteral& header) {
  if (!header.accept('(')) return header.read_string();
  header.read_string();
  header.expect(',');
  const std::string_view name = header.read_string();
  header.expect(')');
  return name;
}

NpyField read_field(NpyLiteral& header, int depth) {
  NpyField field;
  header.expect('(');
  field.name = read_name(header);
  header.expect(',');
  const bool is_structure = header.next_is('[');
  const std::size_t start = header.position();
  if (is_structure)
    field.type.bytes = read_fields(header, depth + 1).row_bytes;
  else
    field.type = parse_npy_type(header.read_string(), start, header);
  const bool is_array = header.accept(',') && !header.next_is(')');
  const std::uint64_t repeats = is_array ? read_repeats(header) : (header.expect(')'), 1);
  field.type.is_array = is_array;
  if (is_array || is_structure) field.type.type.reset();
  if (WideSize{field.type.bytes} * repeats > k_row_bytes) header.fail("a field is too large");
  field.type.bytes *= repeats;
  return field;
}

NpyFields read_fields(NpyLiteral& header, int depth) {
  if (depth > k_depth) header.fail("structures within structures, too deep");
  NpyFields all;
  header.expect('[');
  while (!header.accept(']')) {
    NpyField field = read_field(header, depth);
    field.offset = all.row_bytes;
    all.row_bytes += field.type.bytes;
    if (all.row_bytes > k_row_bytes) header.fail("the fields are too large");
    if (all.fields.size() == k_fields) header.fail("too many fields");
    if (!field.name.empty()) all.fields.push_back(field);
    if (header.accept(',')) continue;
    header.expect(']');
    break;
  }
  return all;
}

/// Reads a list of fields. @throws Error bad_input.
NpyFields read_npy_fields(NpyLiteral& header) { return read_fields(header, 0); }

constexpr std::string_view k_magic = "\x93NUMPY";
constexpr std::uint64_t k_columns = std::uint64_t{1} << 32;  // the size of an array then fits 128 bits

/// Parses the dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (5, 3), }
class DictParser {
 public:
  DictParser(std::string_view text, std::size_t offset, const std::string& file, const ReadRequest& options)
      : literal_(text, offset, file), options_(options) {}

  NpyLayout parse() {
    literal_.expect('{');
    while (!literal_.accept('}')) {
      read_entry();
      if (literal_.accept(',')) continue;
      literal_.expect('}');
      break;
    }
    if (literal_.skip_space(); !literal_.is_at_end()) literal_.fail("something follows the dictionary");
    for (const bool seen : {has_descr_, has_order_, has_shape_})
      if (!seen) literal_.fail("the header must have descr, fortran_order and shape");
    fields_ ? locate_fields() : locate_columns();
    return std::move(layout_);
  }

 private:
  void read_entry() {
    const std::size_t start = literal_.position();
    const std::string_view key = literal_.read_string();
    literal_.expect(':');
    const auto once = [&](bool& seen) {
      if (seen) {
        literal_.go_back_to(start);
        literal_.fail("an entry twice");
      }
      seen = true;
    };
    if (key == "descr") {
      once(has_descr_);
      read_descr();
    } else if (key == "fortran_order") {
      once(has_order_);
      is_fortran_order_ = literal_.read_bool();
    } else if (key == "shape") {
      once(has_shape_);
      read_shape();
    } else {
      literal_.go_back_to(start);
      literal_.fail("unknown entry");
    }
  }

  void read_descr() {
    const bool is_structure = literal_.next_is('[');
    descr_start_ = literal_.position();
    if (is_structure) {
      fields_ = read_npy_fields(literal_);
      return;
    }
    const std::string_view descr = literal_.read_string();
    type_ = parse_npy_type(descr, descr_start_, literal_);
    if (!type_.type)
      literal_.fail("the type is no float or integer of up to 64 bits", descr_start_, descr,
                    descr.find('c') == descr.npos ? "save array.astype(\"float64\")"
                                                  : "save numpy.column_stack([array.real, array.imag])");
  }

  void read_shape() {
    literal_.skip_space();
    shape_start_ = literal_.position();
    literal_.expect('(');
    while (!literal_.accept(')')) {
      if (shape_.size() == 3) break;  // too many already
      shape_.push_back(literal_.read_size());
      if (literal_.accept(',')) continue;
      literal_.expect(')');
      break;
    }
    // Refused here, since the text after it may be anything.
    if (shape_.size() > 2) fail_shape();
  }

  [[noreturn]] void fail_shape() const {
    std::string_view hint;
    if (shape_.size() == 2 && shape_[1] > 3)
      hint = shape_[0] == 2 || shape_[0] == 3
                 ? "save array.T if its columns are the points, or use --columns 1,2,3 if its rows are"
                 : "use --columns 1,2,3, or save array[:, :3]";
    literal_.fail("the shape is not (n, 2) or (n, 3)", shape_start_, literal_.text_to(')', shape_start_), hint);
  }

  void locate_columns() {
    if (shape_.size() != 2 || shape_[1] < 2 || shape_[1] > k_columns || (options_.columns.empty() && shape_[1] > 3))
      fail_shape();
    const std::uint64_t columns = shape_[1];
    std::vector<std::size_t> axes;
    if (options_.columns.empty())
      for (std::size_t a = 0; a < columns; ++a) axes.push_back(a);
    else
      axes = chosen_axes({"column", static_cast<std::size_t>(columns)}, options_, literal_.file());
    layout_.shape = fmt::format("({}, {})", shape_[0], columns);
    layout_.rows = shape_[0];
    layout_.bytes = WideSize{layout_.rows} * columns * type_.bytes;
    layout_.stride = is_fortran_order_ ? type_.bytes : columns * type_.bytes;
    layout_.columns.assign(options_.columns.begin(), options_.columns.end());
    for (const std::size_t axis : axes)
      layout_.axes.push_back({*type_.type, axis * type_.bytes * (is_fortran_order_ ? layout_.rows : 1), type_.order});
  }

  void locate_fields() {
    if (shape_.size() != 1)
      literal_.fail("the shape of an array with fields is not (n,)", shape_start_, literal_.text_to(')', shape_start_),
                    "");
    const std::vector<NpyField>& fields = fields_->fields;
    TableColumns table{"field", fields.size()};
    for (const NpyField& field : fields) table.names.push_back(field.name);
    const std::vector<std::size_t> axes = options_.columns.empty() ? named_axes(table.names, angles_of(options_))
                                                                   : chosen_axes(table, options_, literal_.file());
    if (axes.empty()) {
      if (!options_.sky) refuse_angles(table.names, literal_.file());
      refuse(literal_.file(),
             fmt::format("the fields do not say which are {}: {}; name them with {}{}", coordinate_names(options_.sky),
                         list_of(table.names), options_.columns_option, options_.columns_note));
    }
    layout_.shape = fmt::format("({},)", shape_[0]);
    layout_.rows = shape_[0];
    layout_.bytes = WideSize{layout_.rows} * fields_->row_bytes;
    layout_.stride = fields_->row_bytes;
    for (const std::size_t axis : axes) {
      const NpyField& field = fields[axis];
      if (!field.type.type)
        refuse(literal_.file(), fmt::format("field {} is no float or integer of up to 64 bits{}", quote(field.name),
                                            field.type.text.empty() ? "" : ": " + quote(field.type.text)));
      layout_.axes.push_back({*field.type.type, field.offset, field.type.order});
      layout_.columns.emplace_back(field.name);
    }
    if (!options_.columns.empty()) layout_.columns.assign(options_.columns.begin(), options_.columns.end());
    layout_.axis_fields = axes;
    for (const NpyField& field : fields) layout_.fields.push_back(attribute(field));
  }

  static NpyAttribute attribute(const NpyField& field) {
    NpyAttribute found{std::string(field.name), ""};
    found.is_bool = field.type.text == "|b1" && !field.type.is_array;
    if (found.is_bool)  // a byte that is 0 or 1
      found.values = {ScalarType::uint8, field.offset};
    else if (field.type.type)
      found.values = {*field.type.type, field.offset, field.type.order};
    else if (field.type.text.empty() || field.type.is_array)
      found.fault = "has several values per point";
    else
      found.fault = "is of type " + quote(field.type.text);
    return found;
  }

  NpyLiteral literal_;
  const ReadRequest& options_;
  NpyLayout layout_;
  NpyType type_;
  std::optional<NpyFields> fields_;
  std::vector<std::uint64_t> shape_;
  std::size_t descr_start_ = 0, shape_start_ = 0;
  bool is_fortran_order_ = false;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

NpyLayout parse_npy_layout(std::string_view bytes, const std::string& file, const ReadRequest& options) {
  if (!bytes.starts_with(k_magic))
    refuse_byte(
        file, 0,
        fmt::format("not an NPY file (got {}, need {})", quote(bytes.substr(0, k_magic.size())), quote(k_magic)));
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t version_end = k_magic.size() + 2;
  if (bytes.size() < version_end) refuse(file, "the file ends within the NPY header");
  const std::size_t major = byte(k_magic.size());
  if (major < 1 || major > 3 || byte(k_magic.size() + 1) != 0)
    refuse_byte(file, k_magic.size(),
                fmt::format("unknown NPY version (got {}.{}, need 1.0, 2.0 or 3.0)", major, byte(k_magic.size() + 1)));

  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = version_end + length_bytes;
  if (bytes.size() < start) refuse(file, "the file ends within the NPY header");
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(version_end + i) << (8 * i);
  if (length > k_npy_header_bytes)
    refuse(file, fmt::format("NPY header of {} bytes (need at most {})", length, k_npy_header_bytes));
  if (length > bytes.size() - start)
    refuse(file, fmt::format("NPY header needs {} bytes, file holds {}", length, bytes.size() - start));

  NpyLayout layout = DictParser(bytes.substr(start, length), start, file, options).parse();
  layout.data = start + length;
  return layout;
}

}  // namespace kann::formats
