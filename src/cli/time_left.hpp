// How long a phase will still take.
#pragma once

#include <string>

namespace kann::cli {

/// The seconds that are left, if the done `fraction` of a phase took `seconds`; 0 while it is too early to say.
double seconds_left(double seconds, double fraction);

/// For people: "7 s", "3 min", "2 h".
std::string duration_text(double seconds);

}  // namespace kann::cli
