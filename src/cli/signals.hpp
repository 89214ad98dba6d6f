// Signals: some end the program at once and leave no partial output, others become errors of write().
#pragma once

namespace kann::cli {

/// Installs the handlers. SIGINT, SIGTERM and SIGHUP remove the pending outputs, print one line and exit with 130, 143
/// and 129; one that the parent process ignores stays ignored (nohup). SIGPIPE and SIGXFSZ are ignored: writing to a
/// closed pipe fails with EPIPE, writing beyond the limit of file sizes with EFBIG.
void handle_signals();

}  // namespace kann::cli
