// Draws the picture of the queries, coloured by what the options say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/neighbors.hpp"
#include "kann/outliers.hpp"
#include "kann/points.hpp"
#include "kann/render.hpp"

#include "cli/job/answers.hpp"
#include "cli/options/options.hpp"

namespace kann::cli {

/// What a picture may show: `own` has the own_attributes_of_picture(), `transferred` the attributes of the data at the
/// queries.
struct PictureSource {
  const PointsView queries;
  const Neighbors& neighbors;
  std::span<const Attribute* const> own;
  std::span<const Transferred> transferred;
  const std::optional<OutlierResult>& outliers;
};

/// Draws the picture. Blocks. @throws Error as render(), and where colours are not three numbers of one type.
RenderResult draw_picture(const Options& options, const PictureSource& source, int threads);

}  // namespace kann::cli
