// Setters of single options whose values have a type of their own, or that set more than one member. The option table
// refers to them.
#pragma once

#include <string>
#include <utility>

#include "cli/options/options.hpp"
#include "cli/options/values.hpp"

namespace kann::cli {

/// All throw Error usage, which lists the allowed words.
PointFormat point_format_of(const Given& given);
When when(const Given& given);
DeviceChoice device(const Given& given);
InvalidPoints invalid_points(const Given& given);
std::string unit(const Given& given);
ColorScale color_scale(const Given& given);
Join join(const Given& given);
Match match(const Given& given);
bool is_yes(const Given& given);          ///< of yes and no
bool has_quotes(const Given& given);      ///< of double and none
bool are_half_pairs(const Given& given);  ///< of half and both
bool are_float64(const Given& given);
Images images(const Given& given);

/// A length for all queries, or an attribute that has one for each. @throws Error usage.
void set_radius(Options& options, const Given& given);

/// Any text but an empty one. @throws Error usage.
std::string attribute_name(const Given& given);
Method method(const Given& given);
Action document(const Given& given);
View view(const Given& given);
PictureSize picture_size(const Given& given);
std::pair<double, double> color_range(const Given& given);
std::string picture_by(const Given& given);

/// kernel=cubic,degree=2 and so on, each once; the others have their defaults. @throws Error usage.
RbfOptions rbf(const Given& given);

void set_k(Options& options, const Given& given);
void set_output_format(Options& options, const Given& given);
/// The features between commas, each once. @throws Error usage.
std::vector<std::string> features(const Given& given);

/// up, or the point X,Y,Z. @throws Error usage.
NormalOrientation orientation(const Given& given);

void set_transfer(Options& options, const Given& given);
void set_verify(Options& options, const Given& given);

}  // namespace kann::cli
