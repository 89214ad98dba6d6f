// The writers of the formats of clouds, as functions on a sink of bytes. kann/cloud_file.hpp says what they write. The
// caller has checked that every attribute has a value per point.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/points.hpp"

#include "io/files/byte_sink.hpp"

namespace kann::io {

/// Blocks. Returns warnings. @throws Error bad_input (an integer that double does not hold), resources.
std::vector<std::string> write_ply(const PointsView& points, std::span<const Attribute> attributes, ByteSink& sink,
                                   int threads);

/// Writes a new file of LAS 1.4; blocks. Returns warnings. @throws Error bad_input (coordinates that are not finite or
/// too far apart, attributes of too many bytes), resources.
std::vector<std::string> write_new_las(const PointsView& points, std::span<const Attribute> attributes, ByteSink& sink,
                                       int threads);

/// Writes the file that the records come from, with attributes as extra bytes; blocks. Returns warnings. @throws Error
/// bad_input (the head does not belong to such records, attributes of too many bytes), resources.
std::vector<std::string> write_las_records(const LasRecords& las, std::span<const Attribute> attributes, ByteSink& sink,
                                           int threads);

/// Blocks. Returns warnings. @throws Error resources.
std::vector<std::string> write_cloud_csv(const PointsView& points, std::span<const Attribute> attributes,
                                         ByteSink& sink, int threads);

}  // namespace kann::io
