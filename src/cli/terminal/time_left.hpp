// How long a phase will still take, and how long one took, for people.
#pragma once

#include <string>

namespace kann::cli {

/// The seconds that are left, if the done `fraction` of a phase took `seconds`; 0 while it is too early to say.
double seconds_left(double seconds, double fraction);

/// For people: "7 s", "3 min", "2 h".
std::string duration_text(double seconds);

/// A time that was measured: "0 ms", "0.64 ms", "6.4 ms", "128 ms", "1.24 s", "12.4 s", "2 min 4 s", "1 h 1 min".
std::string measured_text(double seconds);

}  // namespace kann::cli
