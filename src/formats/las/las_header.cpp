#include "formats/las/las_header.hpp"

#include <cmath>
#include <fmt/format.h>

#include "formats/files/number_at.hpp"
#include "formats/files/refusal.hpp"

namespace kann::formats {
namespace {

constexpr std::string_view k_magic = "LASF";

constexpr std::array<std::size_t, 11> k_record_bytes = {20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67};

/// The bytes of the header block in versions 1.0 to 1.4; it may be longer.
constexpr std::array<std::size_t, 5> k_header_bytes = {227, 227, 227, 235, 375};

class LasHeaderParser {
 public:
  LasHeaderParser(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  LasHeader parse() {
    if (!bytes_.starts_with(k_magic))
      refuse_byte(file_, 0, fmt::format("not a LAS file (got {}, need 'LASF')", quote(bytes_.substr(0, 4))));
    need(k_header_bytes[0]);
    read_version();
    need(k_header_bytes[minor_]);
    read_layout();
    read_count();
    read_transform();
    header_.has_waveforms = minor_ >= 3 && at<std::uint64_t>(las_header::waveforms) > 0;
    if (minor_ >= 4) {
      header_.extended_begin = at<std::uint64_t>(las_header::extended_begin);
      header_.extended_records = at<std::uint32_t>(las_header::extended_count);
    }
    return header_;
  }

 private:
  void need(std::size_t bytes) const {
    if (bytes_.size() < bytes)
      refuse(file_, fmt::format("the LAS header needs {} bytes, file holds {}", bytes, bytes_.size()));
  }

  /// LAS is little-endian, as every machine that kann runs on is.
  template <class T>
  T at(std::size_t offset) const {
    return number_at<T>(bytes_, offset);
  }

  void read_version() {
    const int major = at<std::uint8_t>(las_header::major), minor = at<std::uint8_t>(las_header::minor);
    if (major != 1 || minor > 4)
      refuse_byte(file_, las_header::major,
                  fmt::format("unknown LAS version (got {}.{}, need 1.0 to 1.4)", major, minor));
    minor_ = static_cast<std::size_t>(minor);
  }

  void read_layout() {
    const std::size_t size = at<std::uint16_t>(las_header::header_size);
    if (size < k_header_bytes[minor_])
      refuse_byte(
          file_, las_header::header_size,
          fmt::format("header size is too small for LAS 1.{} (got {}, need {})", minor_, size, k_header_bytes[minor_]));
    header_.has_standard_time = at<std::uint16_t>(las_header::encoding) & 1;
    header_.begin = at<std::uint32_t>(las_header::data);
    if (header_.begin < size)
      refuse_byte(file_, las_header::data,
                  fmt::format("the points begin within the header (got {}, need {})", header_.begin, size));
    std::size_t format = at<std::uint8_t>(las_header::point_format);
    header_.is_compressed = (format & k_compression_bits) == k_compressed;
    if (header_.is_compressed) format -= k_compressed;
    if (format >= k_record_bytes.size())
      refuse_byte(file_, las_header::point_format, fmt::format("unknown point format (got {}, need 0 to 10)", format));
    header_.format = static_cast<int>(format);
    header_.record = at<std::uint16_t>(las_header::record_size);
    if (header_.record < k_record_bytes[format])
      refuse_byte(file_, las_header::record_size,
                  fmt::format("point record is too short for point format {} (got {}, need {})", format,
                              counted(header_.record, "byte"), k_record_bytes[format]));
  }

  /// From 1.4 on there is a count of 64 bits beside the old one, which is then the same, or 0. Some writers of 1.4 fill
  /// in the old one alone.
  void read_count() {
    header_.points = at<std::uint32_t>(las_header::count_32);
    if (minor_ < 4) return;
    const auto count = at<std::uint64_t>(las_header::count_64);
    if (count > 0 && header_.points > 0 && count != header_.points)
      refuse_byte(file_, las_header::count_64,
                  fmt::format("the counts of points contradict each other (got {}, need {}, as at byte {})", count,
                              header_.points, las_header::count_32));
    if (count > 0) header_.points = count;
  }

  void read_transform() {
    for (std::size_t a = 0; a < 3; ++a) {
      const char axis = "xyz"[a];
      header_.scale[a] = at<double>(las_header::scale + 8 * a);
      header_.offset[a] = at<double>(las_header::offset + 8 * a);
      if (!std::isfinite(header_.scale[a]) || header_.scale[a] == 0)
        refuse_byte(file_, las_header::scale + 8 * a,
                    fmt::format("scale of {} must be finite and not 0 (got {})", axis, header_.scale[a]));
      if (!std::isfinite(header_.offset[a]))
        refuse_byte(file_, las_header::offset + 8 * a,
                    fmt::format("offset of {} must be finite (got {})", axis, header_.offset[a]));
    }
  }

  const std::string_view bytes_;
  const std::string& file_;
  std::size_t minor_ = 0;
  LasHeader header_{};
};

}  // namespace

std::size_t las_record_bytes(int point_format) { return k_record_bytes[static_cast<std::size_t>(point_format)]; }

LasHeader parse_las_header(std::string_view bytes, const std::string& file) {
  return LasHeaderParser(bytes, file).parse();
}

}  // namespace kann::formats
