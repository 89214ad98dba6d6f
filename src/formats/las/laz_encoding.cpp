#include "formats/las/laz_encoding.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "formats/files/byte_sink.hpp"
#include "formats/files/number_at.hpp"
#include "formats/files/refusal.hpp"

namespace kann::formats {
namespace {

constexpr std::string_view k_user = "laszip encoded";
constexpr std::uint16_t k_id = 22204;
constexpr std::size_t k_fixed_bytes = 34, k_item_bytes = 6;  // of the record: before the items, and of an item

/// LASzip's numbers of the parts of a record.
enum ItemType : std::uint16_t {
  bytes_10 = 0,
  point_10 = 6,
  gps_time = 7,
  colour = 8,
  waveform_13 = 9,
  point_14 = 10,
  colour_14 = 11,
  colour_infrared = 12,
  waveform_14 = 13,
  bytes_14 = 14
};

/// The parts of a record of a point format and their bytes, as every file has them.
std::vector<LazItem> items_of(const LasHeader& header) {
  const int format = header.format;
  std::vector<LazItem> items;
  const auto add = [&](bool has, ItemType type, std::size_t bytes) {
    if (has) items.push_back({type, static_cast<std::uint16_t>(bytes), 0});
  };
  add(format < 6, point_10, 20);
  add(format == 1 || (format >= 3 && format <= 5), gps_time, 8);
  add(format == 2 || format == 3 || format == 5, colour, 6);
  add(format == 4 || format == 5, waveform_13, 29);
  add(format >= 6, point_14, 30);
  add(format == 7, colour_14, 6);
  add(format == 8 || format == 10, colour_infrared, 8);
  add(format >= 9, waveform_14, 29);
  const std::size_t extra = header.record - las_record_bytes(format);
  add(extra > 0, format < 6 ? bytes_10 : bytes_14, extra);
  return items;
}

/// The versions in which LASzip has compressed a part.
bool has_version(const LazItem& item) {
  const int first = item.type < point_14 ? 1 : item.type == waveform_14 ? 3 : 2;
  const int last = item.type == waveform_13 ? 1 : item.type < point_14 ? 2 : 4;
  return item.version >= first && item.version <= last;
}

std::string laszip_vlr(std::string_view content) {
  std::string out(k_vlr_header_bytes, '\0');
  out.replace(2, k_user.size(), k_user);
  put_number(out, 18, k_id);
  put_number(out, 20, static_cast<std::uint16_t>(content.size()));
  return out.append(content);
}

/// Moves the points, and says how many records are before them.
void put_counts(std::string& head, std::size_t vlrs) {
  put_number(head, las_header::data, static_cast<std::uint32_t>(head.size()));
  put_number(head, las_header::vlr_count, static_cast<std::uint32_t>(vlrs));
}

}  // namespace

std::size_t LazEncoding::layers() const {
  constexpr std::size_t of_point = 9;
  std::size_t count = 0;
  for (const LazItem& item : items)
    count += item.type == point_14          ? of_point
             : item.type == bytes_14        ? item.bytes
             : item.type == colour_infrared ? 2
                                            : 1;
  return count;
}

bool is_laszip_vlr(const LasVlr& vlr) { return vlr.user == k_user && vlr.id == k_id; }

LazEncoding parse_laz_encoding(const LasHeader& header, std::string_view head, const std::string& file) {
  const std::vector<LasVlr> vlrs = las_vlrs(head);
  const auto found = std::ranges::find_if(vlrs, is_laszip_vlr);
  if (found == vlrs.end()) refuse(file, "no record of LASzip says how its points are compressed");
  const std::size_t begin = found->begin + k_vlr_header_bytes;
  const std::string_view record = head.substr(begin, found->end - begin);
  const auto refuse_record = [&](const std::string& what) {
    refuse_byte(file, begin, fmt::format("the record of LASzip {}", what));
  };
  if (record.size() < k_fixed_bytes)
    refuse_record(fmt::format("has {}, need {}", counted(record.size(), "byte"), k_fixed_bytes));
  const auto compressor = number_at<std::uint16_t>(record, 0), coder = number_at<std::uint16_t>(record, 2);
  const bool is_extended = header.format >= 6;
  if (coder != 0 || (is_extended ? compressor != LazEncoding::layered
                                 : compressor != LazEncoding::pointwise && compressor != LazEncoding::chunked))
    refuse_record(
        fmt::format("has compressor {} and coder {}, which are not known for point format {}; decompress it first",
                    compressor, coder, header.format));
  LazEncoding encoding{static_cast<LazEncoding::Compressor>(compressor), number_at<std::uint32_t>(record, 12),
                       items_of(header)};
  const std::size_t items = number_at<std::uint16_t>(record, 32);
  bool is_right = items == encoding.items.size() && record.size() >= k_fixed_bytes + items * k_item_bytes;
  for (std::size_t i = 0; i < items && is_right; ++i) {
    const std::size_t offset = k_fixed_bytes + i * k_item_bytes;
    LazItem& item = encoding.items[i];
    item.version = number_at<std::uint16_t>(record, offset + 4);
    if (item.type == waveform_13) item.version = std::min<std::uint16_t>(item.version, 1);  // lazrs calls it 2
    is_right = number_at<std::uint16_t>(record, offset) == item.type &&
               number_at<std::uint16_t>(record, offset + 2) == item.bytes && has_version(item);
  }
  if (!is_right)
    refuse_record(fmt::format("is not that of point format {} with {} bytes", header.format, header.record));
  if (compressor == LazEncoding::pointwise) return encoding;
  if (encoding.chunk_points == 0) refuse_record("has chunks of 0 points");
  if (compressor == LazEncoding::chunked && encoding.chunk_points == LazEncoding::k_any_points)
    refuse_record(
        fmt::format("has chunks of any number of points, which are not known for point format {}; decompress it first",
                    header.format));
  return encoding;
}

std::string plain_laz_head(const LasHeader& header, const LazEncoding& encoding, std::uint32_t chunk_points) {
  std::string record;
  append_number(record, static_cast<std::uint16_t>(encoding.compressor));
  append_number(record, std::uint16_t{0});                                                   // the coder
  for (const int number : {2, 2}) append_number(record, static_cast<std::uint8_t>(number));  // the version of LASzip
  append_number(record, std::uint16_t{0});                                                   // its revision
  append_number(record, std::uint32_t{0});                                                   // options
  append_number(record, chunk_points);
  for (int i = 0; i < 2; ++i) append_number(record, std::int64_t{-1});  // number and offset of special records
  append_number(record, static_cast<std::uint16_t>(encoding.items.size()));
  for (const LazItem& item : encoding.items)
    for (const std::uint16_t number : {item.type, item.bytes, item.version}) append_number(record, number);

  std::string head(k_las_header_bytes, '\0');
  head.replace(0, 4, "LASF");
  put_number(head, las_header::major, std::uint8_t{1});
  put_number(head, las_header::minor, std::uint8_t{4});
  put_number(head, las_header::header_size, static_cast<std::uint16_t>(head.size()));
  put_number(head, las_header::point_format,
             static_cast<std::uint8_t>(static_cast<unsigned>(header.format) | k_compressed));
  put_number(head, las_header::record_size, static_cast<std::uint16_t>(header.record));
  for (std::size_t axis = 0; axis < 3; ++axis) put_number(head, las_header::scale + 8 * axis, 1.0);
  head += laszip_vlr(record);
  put_counts(head, 1);
  return head;
}

std::string decompressed_head(std::string head) {
  const std::vector<LasVlr> vlrs = las_vlrs(head);
  std::size_t kept = vlrs.size();
  const auto count = number_at<std::uint32_t>(head, las_header::vlr_count);
  for (auto vlr = vlrs.rbegin(); vlr != vlrs.rend(); ++vlr)
    if (is_laszip_vlr(*vlr)) {
      head.erase(vlr->begin, vlr->end - vlr->begin);
      --kept;
    }
  const auto format = static_cast<unsigned char>(head[las_header::point_format]);
  put_number(head, las_header::point_format, static_cast<std::uint8_t>(format & ~k_compression_bits));
  put_counts(head, count - (vlrs.size() - kept));
  return head;
}

std::string compressed_head(std::string head, std::string_view described, const std::string& file) {
  std::string_view record;
  for (const LasVlr& vlr : las_vlrs(described))
    if (is_laszip_vlr(vlr)) record = described.substr(vlr.begin, vlr.end - vlr.begin);
  const std::vector<LasVlr> vlrs = las_vlrs(head);
  const auto size = number_at<std::uint16_t>(head, las_header::header_size);
  head.insert(vlrs.empty() ? size : vlrs.back().end, record);
  if (head.size() > std::numeric_limits<std::uint32_t>::max()) refuse(file, "LAS has no place for so long a header");
  const auto format = static_cast<unsigned char>(head[las_header::point_format]);
  put_number(head, las_header::point_format, static_cast<std::uint8_t>(format | k_compressed));
  put_counts(head, number_at<std::uint32_t>(head, las_header::vlr_count) + std::size_t{1});
  return head;
}

}  // namespace kann::formats
