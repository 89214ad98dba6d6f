#include "formats/las/las_head.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "formats/files/number_at.hpp"
#include "formats/files/refusal.hpp"
#include "formats/las/las_header.hpp"
#include "formats/las/las_vlrs.hpp"

namespace kann::formats {
namespace {

constexpr std::uint16_t k_standard_time = 1, k_internal_waveforms = 2, k_wkt = 16;  // bits of the encoding
constexpr std::size_t k_longest_content = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t k_longest_filler = 255;  // undocumented bytes that one description can have

void put_text(std::string& bytes, std::size_t offset, std::string_view text) {
  bytes.replace(offset, text.size(), text);
}

/// The description of one field of the extra bytes; with type 0, of `bytes` undocumented bytes.
std::string description(std::string_view name, int type, std::size_t bytes = 0) {
  std::string out(k_extra_bytes_bytes, '\0');
  put_number(out, 2, static_cast<std::uint8_t>(type));
  put_number(out, 3, static_cast<std::uint8_t>(bytes));
  put_text(out, 4, name.substr(0, 32));
  return out;
}

std::string descriptions(std::span<const LasExtra> extra) {
  std::string out;
  for (const LasExtra& one : extra) {
    std::string described = description(one.name, one.type);
    if (one.no_data) {
      constexpr std::uint8_t has_no_data = 1;
      put_number(described, 3, has_no_data);
      one.type % 2 == 0 ? put_number(described, 40, static_cast<std::int64_t>(*one.no_data))
                        : put_number(described, 40, static_cast<std::uint64_t>(*one.no_data));
    }
    out += described;
  }
  return out;
}

/// A variable length record with this content.
std::string vlr(const std::string& content) {
  std::string out(k_vlr_header_bytes, '\0');
  put_text(out, 2, LasVlr::k_user);
  put_number(out, 18, LasVlr::k_extra_bytes);
  put_number(out, 20, static_cast<std::uint16_t>(content.size()));
  put_text(out, 22, "extra bytes of the points");
  return out + content;
}

void check_content(std::size_t bytes, const std::string& file) {
  if (bytes > k_longest_content)
    refuse(file, fmt::format("LAS describes at most {} extra attributes (got {}); write ply",
                             k_longest_content / k_extra_bytes_bytes, bytes / k_extra_bytes_bytes));
}

void put_summary(std::string& head, const LasSummary& summary, const std::string& file) {
  if (summary.has_standard_time) {
    const auto others =
        static_cast<std::uint16_t>(number_at<std::uint16_t>(head, las_header::encoding) & ~k_standard_time);
    put_number(head, las_header::encoding,
               static_cast<std::uint16_t>(others | (*summary.has_standard_time ? k_standard_time : 0)));
  }
  constexpr std::uint64_t limit = std::numeric_limits<std::uint32_t>::max();
  const int minor = number_at<std::uint8_t>(head, las_header::minor);
  if (minor < 4 && summary.points > limit)
    refuse(file, fmt::format("LAS 1.{} has at most {} points (got {}); write ply", minor, limit, summary.points));
  // Where the header has counts of 64 bits, those of 32 bits are 0 from point format 6 on.
  const bool has_old_counts =
      minor < 4 || (number_at<std::uint8_t>(head, las_header::point_format) < 6 && summary.points <= limit);
  put_number(head, las_header::count_32, static_cast<std::uint32_t>(has_old_counts ? summary.points : 0));
  for (std::size_t i = 0; i < 5; ++i)
    put_number(head, las_header::returns_32 + 4 * i,
               static_cast<std::uint32_t>(has_old_counts ? summary.by_return[i] : 0));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    put_number(head, las_header::bounds + 16 * axis, summary.maximum[axis]);
    put_number(head, las_header::bounds + 16 * axis + 8, summary.minimum[axis]);
  }
  if (minor < 4) return;
  put_number(head, las_header::count_64, summary.points);
  for (std::size_t i = 0; i < summary.by_return.size(); ++i)
    put_number(head, las_header::returns_64 + 8 * i, summary.by_return[i]);
}

/// Makes the header say that so many extended variable length records follow the points, which end at `end`, and
/// nothing else.
void put_tail(std::string& head, std::uint64_t end, std::uint32_t extended_records) {
  const int minor = number_at<std::uint8_t>(head, las_header::minor);
  if (minor >= 3) {
    put_number(head, las_header::waveforms, std::uint64_t{0});
    put_number(
        head, las_header::encoding,
        static_cast<std::uint16_t>(number_at<std::uint16_t>(head, las_header::encoding) & ~k_internal_waveforms));
  }
  if (minor >= 4) {
    put_number(head, las_header::extended_begin, extended_records > 0 ? end : 0);
    put_number(head, las_header::extended_count, extended_records);
  }
}

/// Descriptions of bytes that nothing has described.
std::string fillers(std::size_t bytes) {
  std::string out;
  for (int number = 1; bytes > 0; ++number) {
    const std::size_t size = std::min(bytes, k_longest_filler);
    out += description(fmt::format("undocumented_{}", number), 0, size);
    bytes -= size;
  }
  return out;
}

/// Adds the descriptions to the record that describes extra bytes, or adds such a record if there is none.
void add_descriptions(std::string& head, std::span<const LasExtra> extra, const std::string& file) {
  const LasHeader header = parse_las_header(head, file);
  const std::vector<LasVlr> vlrs = las_vlrs(head);
  if (!has_all_vlrs(head, vlrs))
    refuse(file, "the variable length records of the LAS file do not lie before its points; write ply or cloud-csv");
  const auto old = std::ranges::find_if(vlrs, &LasVlr::describes_extra_bytes);
  const bool is_new = old == vlrs.end();
  std::string content;
  if (!is_new) content = head.substr(old->begin + k_vlr_header_bytes, old->end - old->begin - k_vlr_header_bytes);
  content.resize(content.size() / k_extra_bytes_bytes * k_extra_bytes_bytes);
  std::size_t described = las_record_bytes(header.format);
  for (const LasExtraField& field : las_extra_fields(content)) described += field.bytes;
  if (described > header.record)
    refuse(file, fmt::format("the LAS file describes records of {} bytes, they have {}; write ply or cloud-csv",
                             described, header.record));
  content += fillers(header.record - described) + descriptions(extra);
  check_content(content.size(), file);

  const std::size_t begin = !is_new        ? old->begin
                            : vlrs.empty() ? number_at<std::uint16_t>(head, las_header::header_size)
                                           : vlrs.back().end;
  const std::size_t end = is_new ? begin : old->end;
  std::string record = vlr(content);
  if (!is_new) record.replace(22, 32, head, begin + 22, 32);  // its own title
  head.replace(begin, end - begin, record);
  if (is_new) put_number(head, las_header::vlr_count, static_cast<std::uint32_t>(vlrs.size() + 1));
  if (head.size() > std::numeric_limits<std::uint32_t>::max()) refuse(file, "LAS has no place for so long a header");
  put_number(head, las_header::data, static_cast<std::uint32_t>(head.size()));
}

}  // namespace

int las_type_of(const AttributeValues& values) {
  constexpr int types[] = {2, 1, 4, 3, 6, 5, 8, 7, 9, 10};  // for int8, uint8, int16, ... as in AttributeValues
  static_assert(std::size(types) == std::variant_size_v<AttributeValues>);
  return types[values.index()];
}

std::string new_las_head(int point_format, std::size_t record_bytes, const std::array<double, 3>& scale,
                         const std::array<double, 3>& offset, const LasSummary& summary,
                         std::span<const LasExtra> extra, const std::string& file) {
  std::string head(k_las_header_bytes, '\0');
  put_text(head, 0, "LASF");
  put_number(head, las_header::encoding, k_wkt);  // as point formats from 6 on demand
  put_number(head, las_header::major, std::uint8_t{1});
  put_number(head, las_header::minor, std::uint8_t{4});
  put_text(head, las_header::system, "OTHER");
  put_text(head, las_header::software, "kann");
  put_number(head, las_header::header_size, static_cast<std::uint16_t>(head.size()));
  put_number(head, las_header::point_format, static_cast<std::uint8_t>(point_format));
  put_number(head, las_header::record_size, static_cast<std::uint16_t>(record_bytes));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    put_number(head, las_header::scale + 8 * axis, scale[axis]);
    put_number(head, las_header::offset + 8 * axis, offset[axis]);
  }
  put_summary(head, summary, file);
  if (!extra.empty()) {
    const std::string content = descriptions(extra);
    check_content(content.size(), file);
    put_number(head, las_header::vlr_count, std::uint32_t{1});
    head += vlr(content);
  }
  put_number(head, las_header::data, static_cast<std::uint32_t>(head.size()));
  return head;
}

std::string las_head_of_format(const std::string& head, int point_format, std::size_t record_bytes) {
  std::string out = head;
  put_number(out, las_header::point_format, static_cast<std::uint8_t>(point_format));
  put_number(out, las_header::record_size, static_cast<std::uint16_t>(record_bytes));
  // Formats 2 and 3 came with version 1.2, whose header is that of 1.0
  if (point_format >= 2)
    put_number(out, las_header::minor, std::max(number_at<std::uint8_t>(head, las_header::minor), std::uint8_t{2}));
  return out;
}

std::string extended_las_head(const std::string& head, std::size_t record_bytes, const LasSummary& summary,
                              std::span<const LasExtra> extra, std::uint32_t extended_records,
                              const std::string& file) {
  std::string out = head;
  if (!extra.empty()) add_descriptions(out, extra, file);
  put_number(out, las_header::record_size, static_cast<std::uint16_t>(record_bytes));
  put_summary(out, summary, file);
  put_tail(out, out.size() + summary.points * record_bytes, extended_records);
  return out;
}

}  // namespace kann::formats
