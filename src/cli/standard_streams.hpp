// A closed stdin, stdout or stderr must not pass its number on to a file that is opened later: messages would go into
// the result.
#pragma once

namespace kann::cli {

/// Puts something that fails every read or write where a standard stream is closed. To be called before any file is
/// opened.
void reserve_standard_streams();

}  // namespace kann::cli
