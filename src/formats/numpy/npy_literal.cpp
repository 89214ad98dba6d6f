#include "formats/numpy/npy_literal.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "formats/files/refusal.hpp"
#include "formats/table/number.hpp"

namespace kann::formats {

void NpyLiteral::fail(std::string_view what) const { fail(what, position_, text_.substr(position_), ""); }

void NpyLiteral::fail(std::string_view what, std::size_t start, std::string_view value, std::string_view hint) const {
  refuse_byte(file_, offset_ + start,
              fmt::format("NPY header: {}: {}{}{}", what, quote(value), hint.empty() ? "" : "; ", hint));
}

void NpyLiteral::skip_space() {
  while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
}

bool NpyLiteral::next_is(char c) {
  skip_space();
  return !is_at_end() && text_[position_] == c;
}

bool NpyLiteral::accept(char c) {
  if (!next_is(c)) return false;
  ++position_;
  return true;
}

void NpyLiteral::expect(char c) {
  if (!accept(c)) fail(fmt::format("'{}' expected", c));
}

std::string_view NpyLiteral::read_string() {
  const char quote = accept('"') ? '"' : '\'';
  if (quote == '\'') expect('\'');
  const std::size_t end = text_.find(quote, position_);
  if (end == std::string_view::npos) fail("a string without end");
  const std::string_view string = text_.substr(position_, end - position_);
  position_ = end + 1;
  return string;
}

std::uint64_t NpyLiteral::read_size() {
  skip_space();
  const std::size_t end = std::min(text_.find_first_not_of("0123456789", position_), text_.size());
  std::uint64_t size = 0;
  const NumberFault fault = parse_count(text_.substr(position_, end - position_), size);
  if (fault != NumberFault::none) fail(fmt::format("a size in the shape {}", describe(fault)));
  position_ = end;
  return size;
}

bool NpyLiteral::read_bool() {
  skip_space();
  const std::string_view rest = text_.substr(position_);
  if (!rest.starts_with("True") && !rest.starts_with("False")) fail("True or False expected");
  position_ += rest.starts_with("True") ? 4 : 5;
  return rest.starts_with("True");
}

std::string_view NpyLiteral::text_to(char last, std::size_t start) const {
  return text_.substr(start, text_.find(last, start) - start + 1);
}

}  // namespace kann::formats
