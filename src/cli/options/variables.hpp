// Warns of variables KANN_… that the program does not read: without a warning, a misspelt variable has no effect and
// the user does not notice. Refuses variables that look like a check.
#pragma once

#include <string>
#include <vector>

namespace kann::cli {

/// One warning per variable that begins with KANN_, is not empty and is read neither here nor by the scripts. It names
/// the flag where an option has that name, else the nearest variable that is read.
std::vector<std::string> warnings_of_variables();

/// Refuses variables, even empty ones, that have the name of an option of a check (KANN_MIN_RECALL, KANN_VERIFY) or are
/// nearer to one than to that of any other option. They are not read, so that whoever sets one relies on a check that
/// is off.
/// @throws Error usage.
void refuse_variables_of_checks();

}  // namespace kann::cli
