#include "formats/numpy/npy_fields.hpp"

#include <array>
#include <utility>

#include "formats/files/refusal.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {
namespace {

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

}  // namespace

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

NpyFields read_npy_fields(NpyLiteral& header) { return read_fields(header, 0); }

}  // namespace kann::formats
