// SIGINT and SIGTERM end the program at once and leave no partial output; a closed pipe is an error like others.
#pragma once

namespace kann::cli {

/// From here on: SIGINT and SIGTERM remove the pending outputs, print one line and exit with 130 and 143; writing to a
/// closed pipe fails with EPIPE instead of ending the program.
void handle_signals();

}  // namespace kann::cli
