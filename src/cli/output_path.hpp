// The default path of the result, and the files that result and report never replace.
#pragma once

#include "cli/options.hpp"

namespace kann::cli {

/// Fills in `output` (`<query stem>.knn.npz` in the current folder) and `output_format` (from the extension).
/// @throws Error usage when no format has that extension.
void choose_output(Options& options);

/// Refuses to replace an input by the result, under any name or link, or to write to it as stdout. @throws Error usage;
/// bad_input for an input whose path cannot be resolved, such as a circle of links.
void protect_inputs(const Options& options);

/// Refuses to replace an input, the result or any other file by the report, except an earlier report or an empty file:
/// after a typing error, `--dta pts.ply --report pts.ply`, the cloud must still be there. Also refuses a folder and a
/// file that cannot be written.
/// @throws Error usage, resources.
void protect_files_from_report(const Options& options);

}  // namespace kann::cli
