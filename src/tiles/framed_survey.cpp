#include "tiles/framed_survey.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "comm/shares.hpp"
#include "geometry/box.hpp"
#include "problem/valid_points.hpp"

namespace kann::tiles {
namespace {

/// The rows of one rank.
struct Share {
  std::int64_t begin, end;

  Share(std::int64_t count, const comm::Communicator& ranks)
      : begin(comm::share_begin(count, ranks.size(), ranks.rank())),
        end(comm::share_begin(count, ranks.size(), ranks.rank() + 1)) {}
};

/// The numbers of the points that the core box is computed from, of `valid` points: those in [begin, end).
std::vector<std::int64_t> core_numbers(std::int64_t valid, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < geometry::sample_size(valid); ++i)
    if (const std::int64_t number = geometry::sample_row(i, valid); number >= begin && number < end)
      numbers.push_back(number);
  return numbers;
}

std::vector<std::int64_t> sample_numbers(std::int64_t count, std::int64_t most) {
  std::vector<std::int64_t> numbers;
  const std::int64_t size = std::min(count, most);
  for (std::int64_t i = 0; i < size; ++i) numbers.push_back(geometry::sample_row(i, count, size));
  return numbers;
}

std::vector<double> coordinates(const std::vector<PickedPoint>& points, int dimensions) {
  std::vector<double> all;
  for (const PickedPoint& picked : points)
    all.insert(all.end(), picked.point.begin(), picked.point.begin() + dimensions);
  return all;
}

}  // namespace

FramedSurvey survey_in_frame(const PointSource& data, InvalidPoints invalid, std::int64_t most, std::int64_t block,
                             int threads, comm::Communicator& ranks) {
  const Share share(data.size(), ranks);
  problem::Survey own;
  // Where all are valid, the rows are their numbers
  PointPicker core(core_numbers(data.size(), share.begin, share.end), share.begin);
  PointPicker sample(sample_numbers(share.end - share.begin, std::max<std::int64_t>(most / ranks.size(), 1)));
  data.for_each_block(share.begin, share.end, block, [&](std::int64_t row, const PointsView& points) {
    problem::Survey found = problem::survey(points, threads);
    if (found.first_invalid >= 0) found.first_invalid += row;
    problem::append(own, found);
    core.add(row, points, found.invalid);
    sample.add(row, points, found.invalid);
  });

  FramedSurvey found;
  std::int64_t before = 0;  // valid points of the ranks before
  const std::vector<problem::Survey> all = ranks.gather_value(own);
  for (int r = 0; r < ranks.size(); ++r) {
    if (r < ranks.rank()) before += all[static_cast<std::size_t>(r)].valid;
    problem::append(found.survey, all[static_cast<std::size_t>(r)]);
  }
  if (invalid == InvalidPoints::error) problem::refuse_invalid(found.survey, data.name());
  if (found.survey.invalid > 0) {
    core = PointPicker(core_numbers(found.survey.valid, before, before + own.valid), before);
    data.for_each_block(share.begin, share.end, block,
                        [&](std::int64_t row, const PointsView& points) { core.add(row, points, 1); });
  }
  found.in = problem::choose_frame_grid(
      found.survey, coordinates(ranks.gather_values(core.picked()), data.dimensions()), data.dimensions());
  found.sample = ranks.gather_values(sample.picked());
  return found;
}

}  // namespace kann::tiles
