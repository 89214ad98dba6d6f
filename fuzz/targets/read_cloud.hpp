// Reads the bytes of a target as a point cloud, and checks what comes out.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kann/io.hpp"

namespace kann::fuzz {

/// Reads `bytes` as a file whose name ends in `extension`. Aborts unless the reader either throws an Error as
/// check_error() demands, or returns a cloud that the bytes can hold: whole points of two or three coordinates, at most
/// one coordinate per byte that it holds when decompressed, in PLY as many points as the header says. The answer is the
/// same on two threads, and with all attributes, of which each has a value per point, and with the records of LAS.
void read_cloud(std::span<const std::uint8_t> bytes, const std::string& extension, const ReadOptions& options = {});

}  // namespace kann::fuzz
