#include "io/points/npy_layout.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "io/files/refusal.hpp"
#include "io/points/number.hpp"

namespace kann::io {
namespace {

constexpr std::string_view k_magic = "\x93NUMPY";

/// Parses the part of Python's literals that NumPy writes: {'descr': '<f4', 'fortran_order': False, 'shape': (5, 3), }
class DictParser {
 public:
  DictParser(std::string_view text, std::size_t offset, const std::string& file)
      : text_(text), offset_(offset), file_(file) {}

  NpyLayout parse() {
    expect('{');
    while (!accept('}')) {
      read_entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    if (skip_space(); position_ != text_.size()) fail("something follows the dictionary");
    for (const bool seen : {has_descr_, has_order_, has_shape_})
      if (!seen) fail("the header must have descr, fortran_order and shape");
    return layout_;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { fail(what, position_, text_.substr(position_), ""); }

  /// `value` begins at `start`; `hint` says what to save instead.
  [[noreturn]] void fail(std::string_view what, std::size_t start, std::string_view value,
                         std::string_view hint) const {
    refuse_byte(file_, offset_ + start,
                fmt::format("NPY header: {}: {}{}{}", what, quoted(value), hint.empty() ? "" : "; save ", hint));
  }

  /// The text from `start` up to and including the next `last`; all of it if there is none.
  std::string_view text_to(char last, std::size_t start) const {
    return text_.substr(start, text_.find(last, start) - start + 1);
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
  }
  bool accept(char c) {
    skip_space();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("'{}' expected", c));
  }

  std::string_view read_string() {
    skip_space();
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote, position_);
    if (end == std::string_view::npos) fail("a string without end");
    const std::string_view string = text_.substr(position_, end - position_);
    position_ = end + 1;
    return string;
  }

  void read_entry() {
    const std::size_t start = position_;
    const std::string_view key = read_string();
    expect(':');
    const auto once = [&](bool& seen) {
      if (seen) {
        position_ = start;
        fail("an entry twice");
      }
      seen = true;
    };
    if (key == "descr") {
      once(has_descr_);
      read_descr();
    } else if (key == "fortran_order") {
      once(has_order_);
      read_order();
    } else if (key == "shape") {
      once(has_shape_);
      read_shape();
    } else {
      position_ = start;
      fail("unknown entry");
    }
  }

  void read_descr() {
    skip_space();
    const std::size_t start = position_;
    const std::string_view descr = accept('[') ? "[" : read_string();
    constexpr std::string_view what = "the type is not float32 or float64";
    if (descr == "[") fail(what, start, text_to(']', start), "the coordinates alone, as an array of shape (n, 3)");
    if (descr != "<f4" && descr != ">f4" && descr != "<f8" && descr != ">f8")
      fail(what, start, descr, "array.astype(\"float64\")");
    layout_.order = descr[0] == '<' ? std::endian::little : std::endian::big;
    layout_.type = descr[2] == '4' ? ScalarType::float32 : ScalarType::float64;
  }

  void read_order() {
    skip_space();
    const std::string_view rest = text_.substr(position_);
    if (!rest.starts_with("True") && !rest.starts_with("False")) fail("True or False expected");
    layout_.is_fortran_order = rest.starts_with("True");
    position_ += layout_.is_fortran_order ? 4 : 5;
  }

  void read_shape() {
    skip_space();
    const std::size_t start = position_;
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == 3) break;  // too many already
      shape.push_back(read_extent());
      if (accept(',')) continue;
      expect(')');
      break;
    }
    if (shape.size() != 2 || (shape[1] != 2 && shape[1] != 3))
      fail("the shape is not (n, 2) or (n, 3)", start, text_to(')', start),
           shape.size() == 2 && shape[1] > 3 ? "array[:, :3]" : "");
    layout_.rows = shape[0];
    layout_.columns = static_cast<int>(shape[1]);
  }

  std::uint64_t read_extent() {
    skip_space();
    const std::size_t end = std::min(text_.find_first_not_of("0123456789", position_), text_.size());
    std::uint64_t extent = 0;
    const NumberFault fault = parse_count(text_.substr(position_, end - position_), extent);
    if (fault != NumberFault::none) fail(fmt::format("a size in the shape {}", describe(fault)));
    position_ = end;
    return extent;
  }

  const std::string_view text_;
  const std::size_t offset_;
  const std::string& file_;
  std::size_t position_ = 0;
  NpyLayout layout_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

NpyLayout parse_npy_layout(std::string_view bytes, const std::string& file) {
  if (!bytes.starts_with(k_magic))
    refuse_byte(
        file, 0,
        fmt::format("not an NPY file (got {}, need {})", quoted(bytes.substr(0, k_magic.size())), quoted(k_magic)));
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
  if (length > bytes.size() - start)
    refuse(file, fmt::format("NPY header needs {} bytes, file holds {}", length, bytes.size() - start));

  NpyLayout layout = DictParser(bytes.substr(start, length), start, file).parse();
  layout.data = start + length;
  return layout;
}

}  // namespace kann::io
