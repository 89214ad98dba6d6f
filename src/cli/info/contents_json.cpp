// contents_json() and failure_json() of contents_text.hpp; docs/info.schema.json says what the keys mean.
#include <variant>

#include "cli/info/contents_text.hpp"
#include "cli/json/json_writer.hpp"

namespace kann::cli {
namespace {

constexpr int k_info_version = 1;

void write_value(JsonWriter& json, std::string_view key, const ColumnContents& column,
                 const statistics::ColumnValue& value) {
  if (column.range.finite == 0) return json.null_member(key);
  std::visit([&](const auto& number) { json.member(key, number); }, value);
}

void write_column(JsonWriter& json, const ColumnContents& column) {
  json.begin_object();
  json.member("name", column.name);
  json.member("type", column.type);
  if (column.texts) {
    json.member("texts", *column.texts);
  } else {
    write_value(json, "min", column, column.range.minimum);
    write_value(json, "max", column, column.range.maximum);
    json.member("not_finite", column.range.others);
  }
  json.end_object();
}

void write_corner(JsonWriter& json, std::string_view key, const std::array<double, 3>& corner, int dimensions) {
  json.key(key);
  json.begin_array();
  for (int axis = 0; axis < dimensions; ++axis) json.value(corner[static_cast<std::size_t>(axis)]);
  json.end_array();
}

void write_extent(JsonWriter& json, const CloudContents& contents) {
  if (contents.survey.valid == 0) {
    json.null_member("extent");
    return json.null_member("density");
  }
  json.key("extent");
  json.begin_object();
  write_corner(json, "min", contents.survey.box.lo, contents.dimensions);
  write_corner(json, "max", contents.survey.box.hi, contents.dimensions);
  json.end_object();
  json.key("density");
  json.begin_object();
  json.member("area", contents.density(2));
  json.member("volume", contents.dimensions == 3 ? contents.density(3) : std::nullopt);
  json.end_object();
}

void write_system(JsonWriter& json, const CloudContents& contents) {
  if (!contents.system) return json.null_member("coordinate_system");
  const std::string& name = contents.system->name;
  json.key("coordinate_system");
  json.begin_object();
  json.member("name", name.empty() ? std::nullopt : std::optional(name));
  json.member("epsg", contents.system->epsg);
  json.end_object();
}

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key);
  json.begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

}  // namespace

std::string contents_json(const CloudContents& contents) {
  JsonWriter json(JsonWriter::Style::compact);
  json.begin_object();
  json.member("version", k_info_version);
  json.member("path", contents.path);
  json.member("format", contents.format);
  json.member("bytes", contents.bytes);
  json.member("points", contents.points());
  json.member("dimensions", contents.dimensions);
  write_texts(json, "coordinates", contents.coordinates);
  json.key("invalid");
  json.begin_object();
  json.member("points", contents.survey.invalid);
  json.member("first", contents.survey.invalid > 0 ? std::optional(contents.survey.first_invalid) : std::nullopt);
  json.end_object();
  write_extent(json, contents);
  write_system(json, contents);
  json.key("columns");
  json.begin_array();
  for (const ColumnContents& column : contents.columns) write_column(json, column);
  json.end_array();
  write_texts(json, "warnings", contents.warnings);
  json.end_object();
  return json.text() + "\n";
}

std::string failure_json(const std::string& path, const Failure& failure) {
  JsonWriter json(JsonWriter::Style::compact);
  json.begin_object();
  json.member("version", k_info_version);
  json.member("path", path);
  json.key("error");
  json.begin_object();
  json.member("kind", failure.kind);
  json.member("message", failure.message);
  json.member("exit_code", failure.exit_code);
  json.end_object();
  json.end_object();
  return json.text() + "\n";
}

}  // namespace kann::cli
