// Where the result goes when the user does not say, and where it may never go.
#pragma once

#include "cli/options.hpp"

namespace kann::cli {

/// Fills in `output` (`<query stem>.knn.npz` in the current folder) and `output_format` (from the extension).
/// @throws Error usage when no format has that extension.
void choose_output(Options& options);

/// Refuses to write the result over an input, whatever names and links lead there. @throws Error usage;
/// bad_input for an input whose name cannot be followed, such as links in a circle.
void protect_inputs(const Options& options);

/// Refuses to write the report over an input, over the result, or over anything but an earlier report: a slip such as
/// `--dta pts.ply --report pts.ply` must not cost the cloud. Refuses a folder and a file that cannot be written, too.
/// @throws Error usage, resources.
void protect_files_from_report(const Options& options);

}  // namespace kann::cli
