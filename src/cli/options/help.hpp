// What --help and --version print.
#pragma once

#include <string>
#include <string_view>

namespace kann::cli {

/// Command lines, each with what it does in the line below.
inline constexpr std::string_view k_examples =
    R"(  kann --data pts.ply --query q.ply --k 8
      the 8 points of pts.ply nearest to each point of q.ply, into q.knn.npz
  kann --data scan.ply -k 16 -o scan.csv --device cpu
      16 neighbours of each point among the others, as a table, without a GPU
  kann --data pts.npy --query q.npy --verify 10000 --min-recall 0.95
      compares 10000 answers with the exact ones; exit code 1 if recall is low
)";

inline constexpr std::string_view k_description =
    R"(Finds the k nearest neighbours of every query point in a point cloud by shifted
sorting. The answer is approximate: queries whose rows look doubtful are
searched exactly, and so is a sample, whose recall is in the summary. With
--exact all rows are exact; so they are by default where that is no slower. The
result has the same bytes on every device. Its path goes to stdout, a summary to
stderr.
)";

/// Three examples, then every option of the table by group; no line is wider than 80 columns.
std::string help_text();

/// Version and commit, and whether this build can use CUDA device 0.
std::string version_text();

}  // namespace kann::cli
