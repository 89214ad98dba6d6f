// What is known of a cloud once all of its points have been read.
#pragma once

#include <cstdint>

#include "base/threads/parallel.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/shares.hpp"
#include "flow/sources/point_source.hpp"
#include "problem/survey.hpp"

namespace kann::flow {

/// problem::survey() of all points. Each rank reads its share once, in blocks of `most` points, which `look` sees, too.
/// All ranks call it, and have the same result; it blocks.
/// @throws as PointSource::for_each_block() and Communicator::gather().
inline problem::Survey survey(
    const PointSource& cloud, std::int64_t most, int threads, Communicator& ranks,
    const PointSource::Block& look = [](std::int64_t, const PointsView&) {}) {
  const auto begin_of = [&](int rank) { return share_begin(cloud.size(), ranks.size(), rank); };
  problem::Survey own, all;
  cloud.for_each_block(begin_of(ranks.rank()), begin_of(ranks.rank() + 1), most,
                       [&](std::int64_t row, const PointsView& points) {
                         problem::Survey block = problem::survey(points, threads);
                         if (block.first_invalid >= 0) block.first_invalid += row;
                         problem::append(own, block);
                         look(row, points);
                       });
  for (const problem::Survey& share : ranks.gather_value(own)) problem::append(all, share);
  return all;
}

}  // namespace kann::flow
