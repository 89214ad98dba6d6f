// Names of lower layers that the files of this folder use unqualified.
#pragma once

namespace kann::geometry {}

namespace kann::problem {
struct Answer;
struct Problem;
}  // namespace kann::problem

namespace kann::cpu {

using namespace geometry;
using problem::Answer;
using problem::Problem;

}  // namespace kann::cpu
