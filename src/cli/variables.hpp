// Variables that look like the program's and are not: a misspelt one would be without effect, and nobody would know.
#pragma once

#include <string>
#include <vector>

namespace kann::cli {

/// A warning, with the nearest name there is, for each variable of the environment that begins with KANN_, is not empty
/// and stands for no option; those that the scripts and tests know have none.
std::vector<std::string> warnings_of_variables();

}  // namespace kann::cli
