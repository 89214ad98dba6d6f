// CloudFile of kann/cloud_file.hpp: the formats, and what all of them check.
#include "kann/cloud_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <utility>

#include "kann/error.hpp"

#include "formats/files/refusal.hpp"
#include "formats/files/written_once.hpp"
#include "formats/las/laz.hpp"
#include "formats/table/cloud_writer.hpp"
#include "formats/table/meanings.hpp"

namespace kann {
namespace formats {
namespace {

constexpr std::array<std::pair<std::string_view, CloudFormat>, 4> k_written_formats = {{
    {"ply", CloudFormat::ply},
    {"las", CloudFormat::las},
    {"laz", CloudFormat::laz},
    {"cloud-csv", CloudFormat::csv},
}};

void check_rows(const CloudBlock& block, const std::string& name) {
  const std::int64_t count = block.points.size();
  for (const Attribute& attribute : block.attributes)
    if (attribute.size() != count)
      refuse(name, fmt::format("attribute {} has {} for {}", quote(attribute.name), counted(attribute.size(), "value"),
                               counted(count, "point")));
  if (block.las && WideSize{static_cast<std::uint64_t>(count)} * block.las->record_bytes != block.las->records.size())
    refuse(name, fmt::format("{} bytes of LAS records of {} bytes each are not those of {} points",
                             block.las->records.size(), block.las->record_bytes, count));
}

/// Refuses text, for formats that have none.
void check_numbers(const CloudBlock& block, const std::string& name) {
  for (const Attribute& attribute : block.attributes)
    if (attribute.texts) refuse(name, fmt::format("attribute {} is text, which only CSV holds", quote(attribute.name)));
}

CloudSchema schema_of(const CloudBlock& block, const CloudBlocks& cloud) {
  CloudSchema schema{cloud.points,           block.points.dimensions, block.points.coordinates.index() == 0, {}, {},
                     cloud.coordinate_names, cloud.decimals};
  for (const Attribute& attribute : block.attributes)
    schema.attributes.push_back(attribute.with(
        std::visit([]<class T>(const Array<T>&) { return AttributeValues(Array<T>()); }, attribute.values)));
  give_meanings(schema.attributes);
  if (const LasRecords* const las = block.las)
    schema.las = {las->head, las->record_bytes, {}, las->extended, las->extended_count};
  return schema;
}

bool has_schema(const CloudBlock& block, const CloudSchema& schema) {
  const auto are_alike = [](const Attribute& a, const Attribute& b) {
    return a.name == b.name && a.values.index() == b.values.index() && !a.texts == !b.texts;
  };
  return block.points.dimensions == schema.dimensions && (block.points.coordinates.index() == 0) == schema.is_float &&
         std::ranges::equal(block.attributes, schema.attributes, are_alike) &&
         (block.las != nullptr) == schema.las.has_value() &&
         (!block.las || (block.las->record_bytes == schema.las->record_bytes && block.las->head == schema.las->head));
}

std::unique_ptr<CloudWriter> writer_of(CloudFormat format, const CloudSchema& schema, const std::string& file) {
  switch (format) {
    case CloudFormat::ply:
      return ply_writer(schema, file);
    case CloudFormat::las:
      return schema.las ? las_records_writer(schema, file) : new_las_writer(schema, file);
    case CloudFormat::laz:
      return laz_writer(writer_of(CloudFormat::las, schema, file), file);
    case CloudFormat::csv:
      break;
  }
  return csv_writer(schema, file);
}

/// Makes passes over the blocks of a cloud. What the blocks have in common is known from the first block of the first
/// pass on, and all others are compared with it.
class CloudPasses {
 public:
  CloudPasses(const CloudBlocks& cloud, CloudFormat format, const std::string& file)
      : cloud_(cloud), format_(format), file_(file) {}

  /// @throws Error bad_input (numbers of values), internal (blocks that do not belong together), and what `take`
  /// throws.
  void pass(const CloudBlocks::Sink& take) {
    std::int64_t points = 0;
    cloud_.for_each([&](CloudBlock block) {
      if (!has_las_records(format_)) block.las = nullptr;
      if (format_ != CloudFormat::csv) check_numbers(block, file_);
      check_rows(block, file_);
      if (!schema_) schema_ = schema_of(block, cloud_);
      if (!has_schema(block, *schema_))
        throw Error(ErrorKind::internal,
                    file_ + ": the blocks of a cloud differ in their types, attributes or LAS records");
      points += block.points.size();
      take(block);
    });
    if (!schema_ || points != cloud_.points)
      throw Error(ErrorKind::internal,
                  fmt::format("{}: the blocks of a cloud of {} points have {}", file_, cloud_.points, points));
  }

  /// Within a pass and after it.
  const CloudSchema& schema() const { return *schema_; }

 private:
  const CloudBlocks& cloud_;
  const CloudFormat format_;
  const std::string& file_;
  std::optional<CloudSchema> schema_;
};

}  // namespace
}  // namespace formats

using namespace formats;

std::optional<CloudFormat> cloud_format(std::string_view name) {
  const auto is_name = [&](const auto& format) {
    return std::ranges::equal(name, format.first,
                              [](unsigned char x, unsigned char y) { return std::tolower(x) == y; });
  };
  const auto* const found = std::ranges::find_if(k_written_formats, is_name);
  return found == k_written_formats.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> formats::write_cloud(CloudFormat format, const CloudBlocks& cloud, ByteSink& sink,
                                              int threads) {
  CloudPasses passes(cloud, format, sink.name());
  std::unique_ptr<CloudWriter> writer;
  const auto survey = [&](const CloudBlock& block) { writer->survey(block); };
  const auto write_points = [&](const CloudBlock& block) { writer->write(block, sink, threads); };
  const auto begin = [&] { sink.write(as_bytes(writer->begin())); };
  bool needs_survey = false;
  passes.pass([&](const CloudBlock& block) {  // writes the points, unless a survey has to come first
    if (!writer) {
      writer = writer_of(format, passes.schema(), sink.name());
      needs_survey = writer->needs_survey();
      if (!needs_survey) begin();
    }
    needs_survey ? survey(block) : write_points(block);
  });
  if (needs_survey) {
    while (writer->end_survey()) passes.pass(survey);
    begin();
    passes.pass(write_points);
  }
  writer->end(sink);
  return writer->warnings();
}

struct CloudFile::State : WrittenOnce {
  CloudFormat format;
};

CloudFile::CloudFile(const std::string& path, CloudFormat format, bool replace) {
  if (format == CloudFormat::laz) check_writes_laz(path);
  state_ = std::make_unique<State>(State{WrittenOnce(open_output(path, replace)), format});
}
CloudFile::~CloudFile() = default;
CloudFile::CloudFile(CloudFile&&) noexcept = default;
CloudFile& CloudFile::operator=(CloudFile&&) noexcept = default;

std::vector<std::string> CloudFile::write(const CloudBlocks& cloud, int threads) {
  std::vector<std::string> warnings;
  state_->write_with_progress([&] { warnings = write_cloud(state_->format, cloud, *state_->file, threads); });
  return warnings;
}

std::vector<std::string> CloudFile::write(const PointsView& points, std::span<const Attribute> attributes,
                                          const LasRecords* las, int threads) {
  return write({points.size(), [&](const CloudBlocks::Sink& sink) { sink({points, attributes, las}); }}, threads);
}

void CloudFile::report_progress(std::function<void(std::uint64_t, std::uint64_t)> on_progress) {
  state_->on_progress = std::move(on_progress);
}

void CloudFile::commit() { state_->commit(); }

}  // namespace kann
