// Warns of variables KANN_… that the program does not read: without a warning, a misspelt variable has no effect and
// the user does not notice.
#pragma once

#include <string>
#include <vector>

namespace kann::cli {

/// One warning per variable that begins with KANN_, is not empty and is read neither here nor by the scripts. It names
/// the flag where an option has that name, else the nearest variable that is read.
std::vector<std::string> warnings_of_variables();

}  // namespace kann::cli
