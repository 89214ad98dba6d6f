// The text of a recall in the message that it is too low.
#pragma once

#include <string>

namespace kann::cli {

/// A recall below `minimum`, with four decimals as in the line of --verify, or with more if the rounded number would
/// not be below: "0.9984", but "0.99896" for the minimum 0.999.
std::string format_recall_below(double recall, double minimum);

}  // namespace kann::cli
