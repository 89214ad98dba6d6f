// feature_columns() of kann/features.hpp.
#include <span>
#include <vector>

#include "kann/features.hpp"

namespace kann {

std::vector<Attribute> feature_columns(std::span<const Feature> features) {
  std::vector<Attribute> columns;
  const auto ratio = [&](const char* name) { columns.push_back({name, Array<float>()}); };
  const auto quantity = [&](const char* name) { columns.push_back({name, Array<double>()}); };
  for (const Feature feature : features) switch (feature) {
      case Feature::normals:
        for (const char* const name : {"nx", "ny", "nz"}) ratio(name);
        break;
      case Feature::curvature:
        ratio("curvature");
        break;
      case Feature::linearity:
        ratio("linearity");
        break;
      case Feature::planarity:
        ratio("planarity");
        break;
      case Feature::sphericity:
        ratio("sphericity");
        break;
      case Feature::verticality:
        ratio("verticality");
        break;
      case Feature::omnivariance:
        quantity("omnivariance");
        break;
      case Feature::density:
        quantity("density");
    }
  return columns;
}

}  // namespace kann
