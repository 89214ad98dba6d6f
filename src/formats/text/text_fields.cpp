// Fields: the cells of a line, one after another.
#include "formats/table/lines.hpp"
#include "formats/text/text_layout.hpp"

namespace kann::formats {

Fields::Fields(std::string_view line, Separation separation)
    : rest_(line), by_(separation), is_done_(by_.delimiter == Delimiter::blanks && trimmed(line).empty()) {}

bool Fields::next(std::string_view& field) {
  in_quotes_.reset();
  open_ = nullptr;
  if (is_done_) return false;
  if (by_.has_quotes && take_quoted(field)) return true;
  if (by_.delimiter == Delimiter::blanks) {
    field = take_word(rest_);
    return !field.empty();
  }
  const std::size_t end = rest_.find(static_cast<char>(by_.delimiter));
  field = trimmed(rest_.substr(0, end));
  is_done_ = end == std::string_view::npos;
  if (!is_done_) rest_.remove_prefix(end + 1);
  return true;
}

bool Fields::take_quoted(std::string_view& field) {
  const char delimiter = static_cast<char>(by_.delimiter);
  const bool at_blanks = by_.delimiter == Delimiter::blanks;
  const auto next_visible = [&](std::size_t at) {
    while (at < rest_.size() && is_blank(rest_[at]) && (at_blanks || rest_[at] != delimiter)) ++at;
    return at;
  };
  const std::size_t begin = next_visible(0);
  if (begin == rest_.size() || rest_[begin] != '"') return false;
  std::size_t end = begin + 1;
  for (; (end = rest_.find('"', end)) != std::string_view::npos; end += 2)
    if (end + 1 == rest_.size() || rest_[end + 1] != '"') break;  // two are one quote within the field
  if (end == std::string_view::npos) {
    open_ = &rest_[begin];
    return false;
  }
  const std::size_t after = next_visible(end + 1);
  if (after < rest_.size() && (at_blanks ? after == end + 1 : rest_[after] != delimiter)) return false;  // "a" b
  field = trimmed(in_quotes_.emplace(rest_.substr(begin + 1, end - begin - 1)));
  is_done_ = after == rest_.size();
  rest_.remove_prefix(is_done_ || at_blanks ? after : after + 1);
  return true;
}

}  // namespace kann::formats
