// Writes the records of a LAS file as they stand, with attributes as extra bytes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/refusal.hpp"
#include "formats/las/las_extra.hpp"
#include "formats/las/las_field_column.hpp"
#include "formats/las/las_field_fits.hpp"
#include "formats/las/las_header.hpp"
#include "formats/las/las_vlrs.hpp"
#include "formats/table/cloud_writer.hpp"
#include "formats/table/meanings.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_returns_at = 14;  // offset of the return number

class LasRecordsWriter final : public CloudWriter {
 public:
  LasRecordsWriter(CloudSchema schema, std::string file)
      : schema_(std::move(schema)),
        file_(std::move(file)),
        las_(*schema_.las),
        header_(checked_header(las_, file_)),
        fits_(las_fields(widened(has(Meaning::gps_time), has(Meaning::red), has(Meaning::nir)), las_.head),
              schema_.attributes) {
    summary_.points = static_cast<std::uint64_t>(schema_.points);
    minimum_.fill(std::numeric_limits<std::int32_t>::max());
    maximum_.fill(std::numeric_limits<std::int32_t>::min());
  }

  bool needs_survey() const override { return true; }

  void survey(const CloudBlock& block) override {
    fits_.survey(block.attributes);
    LasReturns returns{};
    std::array<std::int32_t, 3> minimum = minimum_, maximum = maximum_;
    const unsigned mask = header_.format < 6 ? 7 : 15;
    const std::size_t record_bytes = las_.record_bytes;
    const char* record = block.las->records.data();
    for (std::int64_t i = 0; i < block.points.size(); ++i, record += record_bytes) {
      std::int32_t integers[3];
      std::memcpy(integers, record, sizeof integers);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        minimum[axis] = std::min(minimum[axis], integers[axis]);
        maximum[axis] = std::max(maximum[axis], integers[axis]);
      }
      const unsigned number = static_cast<unsigned char>(record[k_returns_at]) & mask;
      if (number > 0) ++returns[number - 1];
    }
    minimum_ = minimum;
    maximum_ = maximum;
    for (std::size_t i = 0; i < returns.size(); ++i) summary_.by_return[i] += returns[i];
  }

  bool end_survey() override {
    written_ =
        widened(fits_.has_fitting(Meaning::gps_time), fits_.has_fitting(Meaning::red), fits_.has_fitting(Meaning::nir));
    add_records();
    extras_.emplace(written_.format, written_.record);
    for (const LasVlr& vlr : las_vlrs(las_.head))
      if (vlr.describes_extra_bytes()) {
        const std::size_t begin = vlr.begin + k_vlr_header_bytes;
        for (const LasExtraField& field : las_extra_fields(std::string_view(las_.head).substr(begin, vlr.end - begin)))
          extras_->reserve(field.name);
      }
    const std::vector<LasField> fields = las_fields(written_, las_.head);
    for (std::size_t a = 0; a < schema_.attributes.size(); ++a) {
      const auto place = fits_.take(a, fields);
      if (!place) {
        extras_->add(schema_.attributes[a], a);
        continue;
      }
      columns_.push_back(las_field_column(*std::ranges::find(fields, place->field, &LasField::name), a, place->factor));
      if (place->field == "return_number") summary_.by_return = place->by_return;
      if (place->field == "gps_time") summary_.has_standard_time = fits_.is_standard_time(a);
    }
    extras_->check_size(file_);
    columns_.insert(columns_.end(), extras_->columns().begin(), extras_->columns().end());
    for (std::size_t axis = 0; axis < 3 && summary_.points > 0; ++axis) {
      const double a = minimum_[axis] * header_.scale[axis] + header_.offset[axis];
      const double b = maximum_[axis] * header_.scale[axis] + header_.offset[axis];
      summary_.minimum[axis] = std::min(a, b);  // a scale may be negative
      summary_.maximum[axis] = std::max(a, b);
    }
    return false;
  }

  std::string begin() override {
    const std::string head =
        written_.format == header_.format ? las_.head : las_head_of_format(las_.head, written_.format, written_.record);
    return extended_las_head(head, extras_->record_bytes(), summary_, extras_->descriptions(), las_.extended_count,
                             file_);
  }

  void write(const CloudBlock& block, ByteSink& sink, int threads) override {
    write_rows(block, schema_.points, extras_->record_bytes(), columns_, sink, threads);
  }

  void end(ByteSink& sink) override {
    if (!las_.extended.empty()) sink.write(as_bytes(las_.extended));
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> lines = fits_.warnings(file_);
    std::ranges::move(extras_->warnings(file_), std::back_inserter(lines));
    if (header_.has_waveforms) lines.push_back(fmt::format("{}: the waveforms of the points are left out", file_));
    return lines;
  }

 private:
  /// Whether an attribute has a meaning, or another one of the same kind.
  bool has(Meaning meaning) const {
    return std::ranges::any_of(schema_.attributes, [&](const Attribute& attribute) {
      return attribute.meaning == meaning || (is_gps_time(meaning) && is_gps_time(attribute.meaning));
    });
  }

  /// The header with a point format that has these parts, too, if there is one. Near infrared is never without colours.
  LasHeader widened(bool gps_time, bool colours, bool nir) const {
    const LasParts parts = las_parts(header_.format);
    LasHeader wide = header_;
    wide.format = wider_las_format(header_.format, gps_time, colours,
                                   nir && header_.format >= 6 && (colours || parts.colours > 0));
    wide.record += las_parts(wide.format).end - parts.end;
    return wide;
  }

  /// Copies the records, part by part where the format is another one.
  void add_records() {
    struct Move {
      std::size_t from, to, bytes;
    };
    const LasParts old = las_parts(header_.format), wide = las_parts(written_.format);
    const std::size_t base = header_.format < 6 ? 20 : 30;
    std::vector<Move> moves = {{0, 0, base}, {old.end, wide.end, las_.record_bytes - old.end}};
    constexpr std::size_t gps_bytes = 8, colour_bytes = 6, nir_bytes = 2, waveform_bytes = 29;
    if (old.gps_time >= base) moves.push_back({old.gps_time, wide.gps_time, gps_bytes});
    if (old.colours > 0) moves.push_back({old.colours, wide.colours, colour_bytes});
    if (old.nir > 0) moves.push_back({old.nir, wide.nir, nir_bytes});
    if (old.waveform > 0) moves.push_back({old.waveform, wide.waveform, waveform_bytes});
    if (written_.format == header_.format) moves = {{0, 0, las_.record_bytes}};
    columns_ = {[moves](const CloudBlock& block) -> RowColumn {
      return [&las = *block.las, moves](std::int64_t first, std::int64_t count, char* out, std::size_t stride) {
        const char* record = las.records.data() + static_cast<std::size_t>(first) * las.record_bytes;
        for (std::int64_t i = 0; i < count; ++i, out += stride, record += las.record_bytes)
          for (const Move& move : moves) std::memcpy(out + move.to, record + move.from, move.bytes);
      };
    }};
  }

  static LasHeader checked_header(const LasRecords& las, const std::string& file) {
    const LasHeader header = parse_las_header(las.head, file);
    if (header.is_compressed) refuse(file, "the LAS header is that of compressed records, which these are not");
    if (header.begin != las.head.size() || header.record != las.record_bytes)
      refuse(file, fmt::format("the LAS header is of {} bytes before records of {}, not of {} and {}", header.begin,
                               header.record, las.head.size(), las.record_bytes));
    return header;
  }

  const CloudSchema schema_;
  const std::string file_;
  const LasRecords& las_;  // that of the schema
  const LasHeader header_;
  LasFieldFits fits_;
  LasHeader written_;  // set by the survey, as what follows
  std::optional<LasExtras> extras_;
  LasSummary summary_;
  std::array<std::int32_t, 3> minimum_, maximum_;  // of the integers of each axis
  std::vector<CloudColumn> columns_;
};

}  // namespace

std::unique_ptr<CloudWriter> las_records_writer(CloudSchema schema, const std::string& file) {
  return std::make_unique<LasRecordsWriter>(std::move(schema), file);
}

}  // namespace kann::formats
