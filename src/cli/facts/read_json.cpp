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
    if (lists_++ == 0) list_.clear();
    return !path_.empty();
  }
  bool end_array() override {
    if (--lists_ > 0) return true;
    std::vector<double> numbers;
    std::vector<std::string> texts;
    for (Value& value : list_) {
      if (const auto* const whole = std::get_if<std::int64_t>(&value)) numbers.push_back(static_cast<double>(*whole));
      if (const auto* const real = std::get_if<double>(&value)) numbers.push_back(*real);
      if (auto* const text = std::get_if<std::string>(&value)) texts.push_back(std::move(*text));
    }
    if (numbers.size() == list_.size()) return add(std::move(numbers));
    return add(texts.size() == list_.size() ? Value(std::move(texts)) : Value(std::vector<double>()));
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  bool add(Value value) {
    if (path_.empty()) return false;
    if (lists_ > 0)
      list_.push_back(std::move(value));
    else if (!facts.values.emplace(key_, std::move(value)).second)
      facts.twice = key_;
    return true;
  }

  std::vector<std::string> path_;  ///< of the objects that are open, with their points
  std::string key_;
  int lists_ = 0;  ///< that are open
  std::vector<Value> list_;
};

}  // namespace

std::optional<ReadFacts> read_json(std::string_view text) {
  Reader reader;
  if (!Json::sax_parse(text, &reader) || !reader.is_object) return std::nullopt;
  return std::move(reader.facts);
}

}  // namespace kann::cli
