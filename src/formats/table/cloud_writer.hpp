// The writers of the formats of clouds, which come in blocks. kann/cloud_file.hpp says what they write.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/cloud_file.hpp"

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// What all blocks of a cloud have in common.
struct CloudSchema {
  std::int64_t points = 0;  ///< of all blocks together
  int dimensions = 3;
  bool is_float = false;                      ///< whether the coordinates are floats, else doubles
  std::vector<Attribute> attributes;          ///< names and types, without values
  std::optional<LasRecords> las;              ///< without the records
  std::vector<std::string> coordinate_names;  ///< as CloudBlocks has them
  std::vector<int> decimals;                  ///< likewise
};

/// One cloud as a file: pass all blocks to survey() while it asks for them, write begin(), then pass all blocks to
/// write(), then call end(). Always the same blocks in the same order, of the schema that the writer was made for.
class CloudWriter {
 public:
  virtual ~CloudWriter() = default;

  /// Whether begin() depends on the values, so that a survey of all blocks has to precede it.
  virtual bool needs_survey() const { return false; }
  virtual void survey(const CloudBlock& block) { static_cast<void>(block); }

  /// To be called after each survey. Returns whether there has to be one more. @throws Error bad_input.
  virtual bool end_survey() { return false; }

  /// Returns the bytes before the points. @throws Error bad_input.
  virtual std::string begin() = 0;

  /// Writes the points of a block, on up to `threads` threads; blocks. @throws Error resources.
  virtual void write(const CloudBlock& block, ByteSink& sink, int threads) = 0;

  /// Writes what is after the points; blocks. @throws Error resources.
  virtual void end(ByteSink& sink) { static_cast<void>(sink); }

  /// To be called last.
  virtual std::vector<std::string> warnings() const = 0;
};

/// `file` is the name of the file in messages. These functions and the errors of all surveys are about what the format
/// cannot hold. The writer of LAS records is for a schema with `las`. @throws Error bad_input (a LAS head that does not
/// belong to its records).
std::unique_ptr<CloudWriter> ply_writer(CloudSchema schema, const std::string& file);
std::unique_ptr<CloudWriter> new_las_writer(CloudSchema schema, const std::string& file);
std::unique_ptr<CloudWriter> las_records_writer(CloudSchema schema, const std::string& file);
std::unique_ptr<CloudWriter> csv_writer(CloudSchema schema, const std::string& file);

/// What CloudFile::write() does with the sink of its file. @throws as that.
std::vector<std::string> write_cloud(CloudFormat format, const CloudBlocks& cloud, ByteSink& sink, int threads);

}  // namespace kann::formats
