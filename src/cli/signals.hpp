// Signals that end the program do so at once and leave no partial output; a closed pipe or a limit on file sizes is an
// error like others.
#pragma once

namespace kann::cli {

/// From here on: SIGINT, SIGTERM and SIGHUP remove the pending outputs, print one line and exit with 130, 143 and 129,
/// but stay ignored where whoever started the program ignores them (nohup). Writing to a closed pipe fails with EPIPE,
/// and beyond the limit on file sizes with EFBIG, instead of ending the program.
void handle_signals();

}  // namespace kann::cli
