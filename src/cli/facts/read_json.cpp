#include "cli/facts/read_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace kann::cli {
namespace {

using Json = nlohmann::json;

class Reader final : public nlohmann::json_sax<Json> {
 public:
  ReadFacts facts;
  bool is_object = false;

  bool null() override { return add({}); }
  bool boolean(bool truth) override { return add(truth); }
  bool number_integer(std::int64_t number) override { return add(number); }
  bool number_unsigned(std::uint64_t number) override {
    return number > INT64_MAX ? add(static_cast<double>(number)) : add(static_cast<std::int64_t>(number));
  }
  bool number_float(double number, const std::string&) override { return add(number); }
  bool string(std::string& text) override { return add(text); }
  bool binary(Json::binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    is_object |= path_.empty();
    path_.push_back(path_.empty() ? "" : key_ + ".");
    return true;
  }
  bool key(std::string& name) override {
    key_ = path_.back() + name;
    return true;
  }
  bool end_object() override {
    key_ = path_.back().substr(0, path_.back().empty() ? 0 : path_.back().size() - 1);
    path_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override {
    if (lists_++ == 0) list_.emplace();
    return !path_.empty();
  }
  bool end_array() override {
    if (--lists_ == 0) add(list_.value_or(std::vector<double>()));
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  bool add(Value value) {
    if (path_.empty()) return false;
    if (lists_ > 0) {  // in a list: a number, or it is none of numbers
      const auto* const whole = std::get_if<std::int64_t>(&value);
      const auto* const real = std::get_if<double>(&value);
      if (!whole && !real) list_.reset();
      if (list_) list_->push_back(whole ? static_cast<double>(*whole) : *real);
    } else if (!facts.values.emplace(key_, std::move(value)).second) {
      facts.twice = key_;
    }
    return true;
  }

  std::vector<std::string> path_;  ///< of the objects that are open, with their points
  std::string key_;
  int lists_ = 0;  ///< that are open
  std::optional<std::vector<double>> list_;
};

}  // namespace

std::optional<ReadFacts> read_json(std::string_view text) {
  Reader reader;
  if (!Json::sax_parse(text, &reader) || !reader.is_object) return std::nullopt;
  return std::move(reader.facts);
}

}  // namespace kann::cli
