// What readers and writers of the library LASzip have in common: its object, and its point.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <laszip/laszip_api.h>
#include <new>

#include "formats/las/laszip/laszip.hpp"

namespace kann::formats {

/// Everything that the library is given is right, but for compressed points: what else fails is memory.
inline void check_laszip(laszip_I32 failed) {
  if (failed) throw std::bad_alloc();
}

/// A reader or a writer of the library.
class Laszip {
 public:
  Laszip() { check_laszip(laszip_create(&pointer_)); }
  Laszip(const Laszip&) = delete;
  Laszip& operator=(const Laszip&) = delete;
  ~Laszip() { laszip_destroy(pointer_); }
  operator laszip_POINTER() const { return pointer_; }

 private:
  laszip_POINTER pointer_ = nullptr;
};

/// The library's point, and how its fields lie in a record.
class PointRecord {
 public:
  PointRecord(laszip_POINTER laszip, const LaszipShape& shape)
      : is_extended_(shape.format >= 6), bytes_(shape.record_bytes) {
    check_laszip(laszip_get_point_pointer(laszip, &point_));
    const int format = shape.format;
    std::size_t left = shape.record_bytes - (is_extended_ ? k_extended_bytes : 0);
    const auto add = [&](bool has, void* field, std::size_t bytes) {
      if (!has) return;
      parts_[count_++] = {static_cast<char*>(field), bytes};
      left -= bytes;
    };
    add(!is_extended_, &point_->X, k_plain_bytes);
    add(format == 1 || (format >= 3 && format <= 5), &point_->gps_time, sizeof point_->gps_time);
    add(format == 2 || format == 3 || format == 5 || format == 7, point_->rgb, 6);
    add(format == 8 || format == 10, point_->rgb, 8);
    add(format == 4 || format == 5 || format >= 9, point_->wave_packet, sizeof point_->wave_packet);
    add(left > 0, point_->extra_bytes, left);
  }

  std::size_t bytes() const { return bytes_; }

  void to(char* record) const {
    if (is_extended_) record = extended_to(record);
    for (std::size_t i = 0; i < count_; record += parts_[i++].bytes)
      std::memcpy(record, parts_[i].field, parts_[i].bytes);
  }

  void from(const char* record) const {
    if (is_extended_) record = extended_from(record);
    for (std::size_t i = 0; i < count_; record += parts_[i++].bytes)
      std::memcpy(parts_[i].field, record, parts_[i].bytes);
  }

 private:
  static constexpr std::size_t k_plain_bytes = 20, k_extended_bytes = 30;  // of what all records have in common
  static constexpr std::size_t k_before_bits = 14, k_bits = 3;  // bytes of x, y, z and intensity; of bit fields, class

  /// Writes what the point formats from 6 on have in common, and returns the byte after it.
  char* extended_to(char* record) const {
    const laszip_point& p = *point_;
    std::memcpy(record, &p.X, k_before_bits);
    record += k_before_bits;
    const unsigned bits[k_bits] = {
        p.extended_return_number | static_cast<unsigned>(p.extended_number_of_returns) << 4,
        p.extended_classification_flags | static_cast<unsigned>(p.extended_scanner_channel) << 4 |
            static_cast<unsigned>(p.scan_direction_flag) << 6 | static_cast<unsigned>(p.edge_of_flight_line) << 7,
        p.extended_classification};
    for (const unsigned value : bits) *record++ = static_cast<char>(value);
    *record++ = static_cast<char>(p.user_data);
    const auto put = [&](const auto& value) {
      std::memcpy(record, &value, sizeof value);
      record += sizeof value;
    };
    put(p.extended_scan_angle);
    put(p.point_source_ID);
    put(p.gps_time);
    return record;
  }

  const char* extended_from(const char* record) const {
    laszip_point& p = *point_;
    std::memcpy(&p.X, record, k_before_bits);
    record += k_before_bits;
    const auto byte = [&] { return static_cast<unsigned char>(*record++); };
    const unsigned returns = byte(), flags = byte();
    p.extended_return_number = returns & 15;
    p.extended_number_of_returns = returns >> 4 & 15;
    p.extended_classification_flags = flags & 15;
    p.extended_scanner_channel = flags >> 4 & 3;
    p.scan_direction_flag = flags >> 6 & 1;
    p.edge_of_flight_line = flags >> 7 & 1;
    p.extended_classification = byte();
    // The library refuses points whose older fields contradict these
    p.extended_point_type = 1;
    p.classification = 0;
    p.synthetic_flag = flags & 1;
    p.keypoint_flag = flags >> 1 & 1;
    p.withheld_flag = flags >> 2 & 1;
    p.user_data = byte();
    const auto get = [&](auto& value) {
      std::memcpy(&value, record, sizeof value);
      record += sizeof value;
    };
    get(p.extended_scan_angle);
    get(p.point_source_ID);
    get(p.gps_time);
    return record;
  }

  struct Part {
    char* field = nullptr;
    std::size_t bytes = 0;
  };

  bool is_extended_;
  std::size_t bytes_;
  laszip_point* point_ = nullptr;
  std::array<Part, 5> parts_{};
  std::size_t count_ = 0;
};

}  // namespace kann::formats
