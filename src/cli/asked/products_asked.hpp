// What a job is asked to make, and what that takes.
#pragma once

#include "cli/options/options.hpp"
#include "cli/options/output_path.hpp"
#include "flow/rows/found.hpp"
#include "formats/neighbors/neighbor_file.hpp"

namespace kann::cli {

/// The products besides the file of the rows.
struct ProductsAskedFor {
  ProductsAskedFor(const Options& options, const OutputFiles& files);

  bool columns;     ///< values per query, in results, clouds or pictures: ComputedColumns
  bool cloud;       ///< the queries as a cloud
  bool table;       ///< the pairs with other columns
  bool pairs;       ///< how many pairs there are
  bool picture;     ///< on the rank that has its file
  bool statistics;  ///< on this rank: only rank 0 has files for the report and the page
  bool checks;      ///< --verify, --compare
  bool vectors;     ///< in the result

  /// Whether the rows are needed beside their file of this format. Statistics read them from the file, if it keeps
  /// them.
  bool needs_rows(NeighborFormat format) const {
    return columns || cloud || table || pairs || picture || checks || vectors ||
           (statistics && !formats::keeps_rows(format));
  }
};

/// Whether the rows are written to one file that has a place for each, and are not needed beside it.
bool only_writes_rows(const Options& options);

/// What the products take of memory, and what they read.
flow::ProductShape product_shape(const Options& options);

/// Bytes of memory of the picture: for a pixel, render() takes 19, and the file is made in memory.
double picture_bytes(const Options& options);

}  // namespace kann::cli
