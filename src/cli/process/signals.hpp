// Handles signals: some end the program and leave a report and no partial output, others become errors of write().
#pragma once

namespace kann::cli {

/// To be called before any thread starts. SIGINT, SIGTERM and SIGHUP end the program by end_program() with 130, 143 and
/// 129, within a second whatever it is doing; one that the parent process ignores stays ignored (nohup). They are
/// blocked, and a thread waits for them, since a report cannot be written in a handler. If no thread can be started,
/// handlers end the program in the same way without a report. SIGPIPE and SIGXFSZ are ignored: writing to a closed pipe
/// fails with EPIPE, writing beyond the limit of file sizes with EFBIG.
void handle_signals();

/// Ignores SIGINT, SIGTERM and SIGHUP from now on. For a program that has reported how it ended, and is about to exit.
void ignore_signals() noexcept;

/// Lets the thread of handle_signals() end the program with an internal error, and waits for that. Returns if there is
/// no such thread, or if it is the caller. For handlers: async-signal-safe.
void end_from_handler(int signal) noexcept;

}  // namespace kann::cli
