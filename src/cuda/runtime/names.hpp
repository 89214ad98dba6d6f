// Names of lower layers that the files of this folder use unqualified.
#pragma once

namespace kann::geometry {}

namespace kann::problem {
struct Answer;
struct Problem;
}  // namespace kann::problem

namespace kann::cuda {

using namespace geometry;
using problem::Answer;
using problem::Problem;

}  // namespace kann::cuda
