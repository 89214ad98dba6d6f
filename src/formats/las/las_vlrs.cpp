#include "formats/las/las_vlrs.hpp"

#include <array>

#include "formats/files/number_at.hpp"

namespace kann::formats {
namespace {

/// Text that zeros fill up.
std::string_view text_at(std::string_view bytes, std::size_t offset, std::size_t size) {
  const std::string_view field = bytes.substr(offset, size);
  return field.substr(0, field.find('\0'));
}

constexpr std::size_t k_size_at = 94, k_count_at = 100;  // offsets in the header block

}  // namespace

std::vector<LasVlr> las_vlrs(std::string_view head) {
  std::vector<LasVlr> found;
  const auto count = number_at<std::uint32_t>(head, k_count_at);
  std::size_t begin = number_at<std::uint16_t>(head, k_size_at);
  while (found.size() < count && head.size() - begin >= k_vlr_header_bytes) {
    const std::size_t end = begin + k_vlr_header_bytes + number_at<std::uint16_t>(head, begin + 20);
    if (end > head.size()) break;
    found.push_back({begin, end, text_at(head, begin + 2, 16), number_at<std::uint16_t>(head, begin + 18)});
    begin = end;
  }
  return found;
}

bool has_all_vlrs(std::string_view head, const std::vector<LasVlr>& vlrs) {
  return vlrs.size() == number_at<std::uint32_t>(head, k_count_at);
}

LasExtendedVlr las_extended_vlr(std::string_view header) {
  constexpr std::uint16_t waveforms = 65535;
  const bool has_waveforms =
      text_at(header, 2, 16) == LasVlr::k_user && number_at<std::uint16_t>(header, 18) == waveforms;
  return {has_waveforms, number_at<std::uint64_t>(header, 20)};
}

/// A number of one of the types 1 to 10 of extra bytes, in eight bytes.
double no_data_at(std::string_view content, std::size_t offset, int type) {
  constexpr int float_types = 9;
  if (type >= float_types) return number_at<double>(content, offset);
  return type % 2 == 0 ? static_cast<double>(number_at<std::int64_t>(content, offset))
                       : static_cast<double>(number_at<std::uint64_t>(content, offset));
}

std::vector<LasExtraField> las_extra_fields(std::string_view content) {
  constexpr std::array<std::size_t, 11> sizes = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  constexpr int arrays_of_two = 11, arrays_of_three = 21, end_of_types = 31;
  constexpr unsigned has_no_data = 1, has_scale = 8, has_offset = 16;  // bits of the options
  std::vector<LasExtraField> fields;
  for (; content.size() >= k_extra_bytes_bytes; content.remove_prefix(k_extra_bytes_bytes)) {
    LasExtraField field;
    field.type = number_at<std::uint8_t>(content, 2);
    const unsigned options = number_at<std::uint8_t>(content, 3);
    field.name = text_at(content, 4, 32);
    if (field.type == 0)
      field.bytes = options;
    else if (field.type < arrays_of_two)
      field.bytes = sizes[static_cast<std::size_t>(field.type)];
    else if (field.type < end_of_types)
      field.bytes = sizes[static_cast<std::size_t>((field.type - 1) % 10 + 1)] *
                    static_cast<std::size_t>(field.type < arrays_of_three ? 2 : 3);
    if (field.type > 0 && field.type < arrays_of_two) {
      field.is_scaled = (options & (has_scale | has_offset)) != 0;
      if (options & has_scale) field.scale = number_at<double>(content, 112);
      if (options & has_offset) field.offset = number_at<double>(content, 136);
      if (options & has_no_data) field.no_data = no_data_at(content, 40, field.type);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace kann::formats
