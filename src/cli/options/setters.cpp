#include "cli/options/setters.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/usage_error.hpp"

namespace kann::cli {

PointFormat point_format_of(const Given& given) {
  if (const auto format = point_format(given.text)) return *format;
  refuse(given, k_point_formats);
}

View view(const Given& given) {
  using enum View::Kind;
  for (const auto& [word, kind] : {std::pair{"auto", automatic}, {"top", top}, {"front", front}, {"iso", iso}})
    if (given.text == word) return {kind};
  View view{direction};
  const std::optional<std::vector<double>> numbers = numbers_of(given.text);
  if (!numbers || numbers->size() != 3 || std::ranges::count(*numbers, 0.0) == 3)
    refuse(given, "auto, top, front, iso or X,Y,Z, the direction from the cloud to the eye");
  std::ranges::copy(*numbers, view.direction.begin());
  return view;
}

PictureSize picture_size(const Given& given) {
  constexpr int least = 16, most = 16384;
  const auto side = [&](std::string_view text) {
    int pixels = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), pixels);
    if (error != std::errc() || stop != text.data() + text.size() || pixels < least || pixels > most)
      refuse(given, "WIDTH or WIDTHxHEIGHT, each a whole number from 16 to 16384");
    return pixels;
  };
  const std::string_view text = given.text;
  if (const std::size_t x = text.find('x'); x != std::string_view::npos)
    return {side(text.substr(0, x)), side(text.substr(x + 1))};
  const int width = side(text);
  return {width, std::max(least, width / 4 * 3)};
}

std::pair<double, double> color_range(const Given& given) {
  const std::optional<std::vector<double>> numbers = numbers_of(given.text);
  if (!numbers || numbers->size() != 2 || !((*numbers)[0] < (*numbers)[1]))
    refuse(given, "A,B: two numbers, the second one larger");
  return {(*numbers)[0], (*numbers)[1]};
}

std::string picture_by(const Given& given) {
  if (given.text.empty())
    refuse(given, "distance, mean_distance, density, outlier, cluster, rgb or the name of an attribute");
  return given.text;
}

RbfOptions rbf(const Given& given) {
  RbfOptions options;
  std::vector<std::string> seen;
  for (const std::string& part : names(given)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string& name = seen.emplace_back(part.substr(0, equals));
    const Given value{given.name + " " + name, part.substr(std::min(equals + 1, part.size()))};
    if (std::ranges::count(seen, name) > 1) refuse(given, "each name once");
    if (name == "kernel")
      options.kernel = one_of<RbfKernel>(value, {{"thin_plate_spline", RbfKernel::thin_plate_spline},
                                                 {"cubic", RbfKernel::cubic},
                                                 {"linear", RbfKernel::linear},
                                                 {"gaussian", RbfKernel::gaussian}});
    else if (name == "degree")
      options.degree = static_cast<int>(whole_number(value, -1, 2));
    else if (name == "smoothing")
      options.smoothing = length(value);
    else if (name == "epsilon")
      options.epsilon = positive(value);
    else
      refuse(given, "NAME=VALUE between commas with the names kernel, degree, smoothing or epsilon");
  }
  return options;
}

void set_transfer(Options& options, const Given& given) {
  options.transfer = names(given);
  for (const std::string& name : options.transfer)
    if (name.empty()) refuse(given, "NAME[,NAME...]: names of attributes of the data");
}

std::vector<std::string> features(const Given& given) {
  std::vector<std::string> features;
  for (const std::string& name : names(given)) {
    if (!feature_of(name) && std::ranges::count(k_row_features, name) == 0) refuse({given.name, name}, k_feature_words);
    if (std::ranges::count(features, name) > 0) refuse(given, "each feature once");
    features.push_back(name);
  }
  return features;
}

NormalOrientation orientation(const Given& given) {
  if (given.text == "up") return {};
  const auto point = numbers_of(given.text);
  if (!point || point->size() != 3) refuse(given, "up, or X,Y,Z: the point that normals look to");
  return {{{(*point)[0], (*point)[1], (*point)[2]}}};
}

void set_k(Options& options, const Given& given) {
  options.all_neighbors = given.text == "all";
  options.search.k = options.all_neighbors ? 1 : whole_number(given, 1);
  options.k_is_given = true;
}

When when(const Given& given) {
  return one_of<When>(given, {{"auto", When::automatic}, {"always", When::always}, {"never", When::never}});
}

DeviceChoice device(const Given& given) {
  if (given.text == "auto") return {};
  if (given.text == "cpu") return {DeviceKind::cpu};
  if (given.text == "cuda") return {DeviceKind::cuda};
  constexpr std::string_view cuda = "cuda:";
  const std::string number = given.text.starts_with(cuda) ? given.text.substr(cuda.size()) : "";
  if (number.empty() || !std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; }))
    refuse(given, "auto, cpu, cuda or cuda:N");
  return {DeviceKind::cuda, static_cast<int>(whole_number({given.name + " cuda:N", number}, 0, 255))};
}

InvalidPoints invalid_points(const Given& given) {
  return one_of<InvalidPoints>(given, {{"error", InvalidPoints::error}, {"skip", InvalidPoints::skip}});
}

std::string unit(const Given& given) {
  if (given.text.empty() || given.text.size() > 16 || base::printable(given.text) != given.text)
    refuse(given, "the name of a unit, with --sky " + std::string(k_angle_units));
  return given.text;
}

ColorScale color_scale(const Given& given) {
  return one_of<ColorScale>(given, {{"linear", ColorScale::linear}, {"log", ColorScale::log}});
}

Join join(const Given& given) {
  return one_of<Join>(given, {{"inner", Join::inner}, {"left", Join::left}, {"anti", Join::anti}});
}

Match match(const Given& given) {
  return one_of<Match>(given, {{"mutual", Match::mutual}, {"one-to-one", Match::one_to_one}});
}

bool is_yes(const Given& given) { return one_of<bool>(given, {{"yes", true}, {"no", false}}); }

bool has_quotes(const Given& given) { return one_of<bool>(given, {{"double", true}, {"none", false}}); }

bool are_half_pairs(const Given& given) { return one_of<bool>(given, {{"both", false}, {"half", true}}); }

bool are_float64(const Given& given) { return one_of<bool>(given, {{"float32", false}, {"float64", true}}); }

Images images(const Given& given) {
  return one_of<Images>(given, {{"nearest", Images::nearest}, {"all", Images::all}});
}

void set_radius(Options& options, const Given& given) {
  const auto radius = length_or_name(given);
  const auto* const number = std::get_if<double>(&radius);
  const auto* const name = std::get_if<std::string>(&radius);
  options.search.radius = number ? std::optional(*number) : std::nullopt;
  options.radius_name = name ? std::optional(*name) : std::nullopt;
}

std::string attribute_name(const Given& given) {
  if (given.text.empty()) refuse(given, "the name of an attribute");
  return given.text;
}

Method method(const Given& given) {
  return one_of<Method>(given,
                        {{"exact", Method::exact}, {"shifted-sort", Method::shifted_sort}, {"paper", Method::paper}});
}

Action document(const Given& given) {
  return one_of<Action>(given, {{"man", Action::print_man_page},
                                {"complete-bash", Action::print_bash_completion},
                                {"complete-zsh", Action::print_zsh_completion},
                                {"complete-fish", Action::print_fish_completion},
                                {"markdown", Action::print_options_page}});
}

void set_output_format(Options& options, const Given& given) {
  options.output_format = neighbor_format(given.text);
  options.cloud_format = cloud_format(given.text);
  if (!options.output_format && !options.cloud_format)
    refuse(given, "npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx, ply, las, laz or cloud-csv");
  options.output_extension = options.cloud_format == CloudFormat::csv ? "csv" : given.text;
}

void set_verify(Options& options, const Given& given) {
  options.verify = true;
  options.verify_sample = given.text == "all" ? 0 : whole_number(given, 1);
}

}  // namespace kann::cli
