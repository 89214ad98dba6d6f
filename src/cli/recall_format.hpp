// Numbers as messages show them.
#pragma once

#include <string>

namespace kann::cli {

/// A recall below `least` with the four digits of the line about --verify, or as many more as it takes to read as less:
/// "0.9984", but "0.99896" where 0.999 is asked for.
std::string format_recall_below(double recall, double minimum);

}  // namespace kann::cli
