// Ids and distances in arrays of NumPy, alone or in an archive.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/counted.hpp"
#include "formats/files/number_at.hpp"
#include "formats/files/refusal.hpp"
#include "formats/neighbors/stored_rows.hpp"
#include "formats/numpy/npy_literal.hpp"
#include "formats/zip/zip_archive.hpp"

namespace kann::formats {
namespace {

constexpr std::string_view k_magic = "\x93NUMPY";

/// Some of the bytes of a file.
struct Range {
  std::uint64_t begin, size;
};

/// An array of shape (rows, columns), whose values are stored row by row.
struct StoredArray {
  std::string type;  ///< as NumPy writes it: "<i4"
  std::uint64_t rows = 0, columns = 0;
  Range values{};
};

constexpr std::size_t k_longest_start = 12;  // bytes before the dictionary

/// Where the dictionary of the header begins, and where it ends, in an array file of `size` bytes. `bytes` are the
/// first of them, k_longest_start or all.
std::pair<std::size_t, std::size_t> dictionary_of(std::string_view bytes, std::uint64_t size, const std::string& file) {
  if (!bytes.starts_with(k_magic))
    refuse_byte(file, 0, fmt::format("not an NPY array (got {})", quote(bytes.substr(0, k_magic.size()))));
  const std::size_t version = k_magic.size();
  if (bytes.size() < version + 2) refuse(file, "the file ends within the NPY header");
  const int major = bytes[version];
  if (major < 1 || major > 3 || bytes[version + 1] != 0)
    refuse_byte(file, version, "unknown NPY version (need 1.0, 2.0 or 3.0)");
  const std::size_t start = version + 2 + (major == 1 ? 2 : 4);
  if (bytes.size() < start) refuse(file, "the file ends within the NPY header");
  const std::size_t length =
      major == 1 ? number_at<std::uint16_t>(bytes, version + 2) : number_at<std::uint32_t>(bytes, version + 2);
  if (length > size - start)
    refuse(file, fmt::format("NPY header needs {} bytes, file holds {}", length, size - start));
  return {start, start + length};
}

/// Reads a shape like "(5, 8)", with two numbers at most.
std::vector<std::uint64_t> read_shape(NpyLiteral& literal) {
  std::vector<std::uint64_t> shape;
  literal.expect('(');
  while (!literal.accept(')')) {
    if (shape.size() == 2) literal.fail("the shape is not (n, k)");
    shape.push_back(literal.read_size());
    if (!literal.accept(',') && !literal.next_is(')')) literal.fail("',' or ')' expected");
  }
  return shape;
}

/// Parses the header. Returns the array, whose rows and columns are not set yet, and its shape.
std::pair<StoredArray, std::vector<std::uint64_t>> parse_header(ByteSource& bytes, Range npy, const std::string& file) {
  const std::size_t head = std::min<std::uint64_t>(npy.size, k_longest_start);
  const auto [start, end] = dictionary_of(bytes.at(npy.begin, head), npy.size, file);
  NpyLiteral literal(bytes.at(npy.begin + start, end - start), start, file);
  StoredArray array;
  std::vector<std::uint64_t> shape;
  bool is_fortran_order = false;
  unsigned seen = 0;  // a bit for each entry
  literal.expect('{');
  while (!literal.accept('}')) {
    const std::string_view key = literal.read_string();
    const unsigned entry = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
    if (entry == 0 || (seen & entry)) literal.fail("an unknown entry, or one twice, before");
    seen |= entry;
    literal.expect(':');
    if (entry == 1) {
      array.type = literal.read_string();
    } else if (entry == 2) {
      is_fortran_order = literal.read_bool();
    } else {
      shape = read_shape(literal);
    }
    if (!literal.accept(',') && !literal.next_is('}')) literal.fail("',' or '}' expected");
  }
  if (literal.skip_space(); !literal.is_at_end()) literal.fail("something follows the dictionary");
  if (seen != 7) literal.fail("the header must have descr, fortran_order and shape");
  if (is_fortran_order && shape.size() > 1)
    refuse(file, "the array is in Fortran order; save numpy.ascontiguousarray(array)");
  array.values = {npy.begin + end, npy.size - end};
  return {std::move(array), std::move(shape)};
}

StoredArray parse_array(ByteSource& bytes, Range npy, const std::string& file) {
  auto [array, shape] = parse_header(bytes, npy, file);
  if (shape.size() != 2)
    refuse(file, fmt::format("the array has {} (need 2: queries and k neighbours); lists of all within a radius, which "
                             "have 1, are neither checked nor compared",
                             base::counted(shape.size(), "dimension")));
  array.rows = shape[0];
  array.columns = shape[1];
  return std::move(array);
}

/// @throws Error bad_input unless the array has as many bytes as its shape needs.
void check_size(const StoredArray& array, std::size_t bytes_each, const std::string& file) {
  // Without values, the array may claim any number of rows or columns; 2⁴⁰ are more than there can be
  constexpr std::uint64_t too_many = std::uint64_t{1} << 40;
  if (array.rows >= too_many || array.columns >= too_many ||
      WideSize{array.rows} * array.columns * bytes_each != array.values.size)
    refuse(file, fmt::format("shape ({}, {}) of type {} does not match the {} bytes of the array", array.rows,
                             array.columns, quote(array.type), array.values.size));
}

StoredRows rows_of_ids(ByteSource& bytes, Range npy, const std::string& file) {
  const StoredArray array = parse_array(bytes, npy, file);
  constexpr std::pair<std::string_view, StoredIdType> types[] = {{"<i4", StoredIdType::int32},
                                                                 {"<u4", StoredIdType::uint32},
                                                                 {"<i8", StoredIdType::int64},
                                                                 {"<u8", StoredIdType::uint64}};
  const auto* const type = std::ranges::find(types, array.type, [](const auto& entry) { return entry.first; });
  if (type == std::end(types))
    refuse(file, fmt::format("ids are of type {} (need int32 or int64, little-endian); save "
                             "array.astype(\"int32\")",
                             quote(array.type)));
  const std::size_t bytes_each = array.type.ends_with('4') ? 4 : 8;
  check_size(array, bytes_each, file);
  return {.queries = static_cast<std::int64_t>(array.rows),
          .k = static_cast<std::int64_t>(array.columns),
          .id_type = type->second,
          .ids = array.values.begin,
          .stride = array.columns * bytes_each};
}

/// The members of an archive, which must not be compressed (NeighborFile and numpy.savez() write such members): so no
/// more memory is taken than the file has bytes.
class StoredMembers {
 public:
  /// Both outlive this object. @throws Error bad_input.
  StoredMembers(ByteSource& archive, const std::string& file)
      : archive_(archive), file_(file), members_(zip_members(archive, file)) {}

  /// Where the content of the member called `name` is, if there is one; its checksum is right.
  /// @throws Error bad_input (compressed or encrypted, beyond the archive, damaged, or twice in it).
  std::optional<Range> find(std::string_view name) const {
    const auto has_name = [&](const ZipMember& member) { return member.name == name; };
    const auto found = std::ranges::find_if(members_, has_name);
    if (found == members_.end()) return std::nullopt;
    if (std::find_if(found + 1, members_.end(), has_name) != members_.end())
      refuse(file_, fmt::format("member {} is twice in the archive", quote(name)));
    if (found->method != 0)
      refuse(file_,
             fmt::format("member {} is compressed (method {}); save it by numpy.savez", quote(name), found->method));
    const std::uint64_t begin = stored_begin(archive_, *found, file_);
    check_stored_content(archive_, begin, *found, file_);
    return Range{begin, found->size};
  }

 private:
  ByteSource& archive_;
  const std::string& file_;
  const std::vector<ZipMember> members_;
};

/// Appends a character of UTF-32, if it is a valid one.
void append_utf8(std::uint32_t c, std::string& text) {
  const auto rest = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | c >> 6), rest(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | c >> 12), rest(6), rest(0);
  } else if (c < 0x110000) {
    text += static_cast<char>(0xf0 | c >> 18), rest(12), rest(6), rest(0);
  }
}

}  // namespace

StoredRows rows_of_npy(ByteSource& bytes, const std::string& file) {
  return rows_of_ids(bytes, {0, bytes.size()}, file);
}

StoredRows rows_of_npz(ByteSource& bytes, const std::string& file) {
  const StoredMembers archive(bytes, file);
  const auto ids = archive.find("ids.npy");
  if (!ids) refuse(file, "there are no neighbours (an array 'ids') in the archive");
  StoredRows out = rows_of_ids(bytes, *ids, file + ": ids.npy");
  const auto distances = archive.find("distances.npy");
  if (!distances) return out;
  const std::string name = file + ": distances.npy";
  const StoredArray array = parse_array(bytes, *distances, name);
  out.has_float64_distances = array.type == "<f8";
  if (array.type != "<f4" && !out.has_float64_distances)
    refuse(name, fmt::format("distances are of type {} (need float32 or float64, little-endian)", quote(array.type)));
  check_size(array, out.has_float64_distances ? sizeof(double) : sizeof(float), name);
  if (std::cmp_not_equal(array.rows, out.queries) || std::cmp_not_equal(array.columns, out.k))
    refuse(name, fmt::format("shape ({}, {}) is not that of the ids, ({}, {})", array.rows, array.columns, out.queries,
                             out.k));
  out.distances = array.values.begin;
  return out;
}

std::string meta_of_npz(ByteSource& bytes, const std::string& file) {
  const auto npy = StoredMembers(bytes, file).find("meta.npy");
  std::string text;
  if (!npy) return text;
  try {
    const auto [array, shape] = parse_header(bytes, *npy, file + ": meta.npy");
    if (!array.type.starts_with("<U") || !shape.empty()) return text;
    const std::string_view characters = bytes.at(array.values.begin, array.values.size);
    for (std::size_t i = 0; i + 4 <= characters.size(); i += 4)
      if (const auto c = number_at<std::uint32_t>(characters, i); c != 0) append_utf8(c, text);
    return text;
  } catch (const Error&) {  // an array that another program wrote
    return "";
  }
}

}  // namespace kann::formats
