// What -h, --help and --version print.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/option_table.hpp"

namespace kann::cli {

/// Command lines, each followed by a line that says what it does. A test runs them.
inline constexpr std::string_view k_examples =
    R"(  kann map.ply frame1.ply frame2.ply -o out/
      the 8 nearest map points of each point of two frames, in a file per frame
  kann 2023.ply 2024.ply -k 1 --stats --picture change.png
      how far each point of one epoch is from another, as a table and a picture
  kann pts.ply q.ply --verify 10000
      compares 10000 answers with exact ones; exit code 1 if one differs
)";

inline constexpr std::string_view k_description =
    R"(Finds the k nearest neighbours of every query point in a point cloud. The
answer is exact, unless --method asks for an approximate one, whose recall on a
sample is in the summary. The result has the same bytes on every device. Its
path goes to stdout, a summary to stderr.
)";

/// Usage, the options that most people need and the examples: one screen of 24 lines and 80 columns.
std::string short_help_text();

/// What a subcommand does, examples, and the options that it takes.
std::string help_text(const Subcommand& subcommand);

/// Three examples, then the options of the table by group, for few every one; no line is wider than 80 columns.
std::string help_text(Audience audience);

/// A paragraph, in one line, about the variables that stand for options.
std::string variables_text();

/// Version and commit, and whether this build can use CUDA device 0.
std::string version_text();

}  // namespace kann::cli
