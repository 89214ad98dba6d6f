// The extension module kann._kann: thin bindings of the public headers, for the Python files of the package `kann`.
#include "module.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nanobind/stl/string.h>
#include <new>
#include <pthread.h>
#include <span>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <variant>

#include "kann/device.hpp"
#include "kann/search.hpp"

#include "host_index.hpp"

namespace kann::python {
namespace {

template <class T>
std::span<const T> values_of(const HostArray& array) {
  return {static_cast<const T*>(array.data()), array.size()};
}

/// Copies the array into the alternative of `values` that has its type. @throws Error bad_input.
template <class... T>
void copy_to(std::variant<Array<T>...>& values, const HostArray& array) {
  const auto copy = [&](auto span) {
    values = Array<std::remove_const_t<typename decltype(span)::element_type>>(span.begin(), span.end());
  };
  const bool is_one_of_them = ((array.dtype() == nb::dtype<T>() && (copy(values_of<T>(array)), true)) || ...);
  if (!is_one_of_them) throw Error(ErrorKind::bad_input, "an array has values of a type that attributes do not have");
}

/// Whether this thread runs a progress callback, or a signal handler in its place.
thread_local bool is_in_callback = false;

struct InCallback {
  bool before = std::exchange(is_in_callback, true);
  ~InCallback() { is_in_callback = before; }
};

std::atomic<int> forks_so_far{0};

std::atomic<bool> is_exiting{false};
std::thread::id exiting_thread;

const char* error_class(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::check_failed:
      return "CheckError";
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::bad_input:
      return "InputError";
    case ErrorKind::resources:
      return std::string_view(error.what()).find("memory") == std::string_view::npos ? "ResourceError"
                                                                                     : "OutOfMemoryError";
    case ErrorKind::no_device:
      return "DeviceError";
    case ErrorKind::internal:
      break;
  }
  return "InternalError";
}

void raise(const char* name, const std::string& message) {
  const nb::object type = nb::module_::import_("kann.errors").attr(name);
  PyErr_SetObject(type.ptr(), nb::str(message.c_str(), message.size()).ptr());
}

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    raise(error_class(e), in_words_of_python(e.what()));
  } catch (const std::bad_alloc&) {
    raise("OutOfMemoryError", "host memory: not enough for this call");
  }
}

}  // namespace

PointsView view_of(const HostArray& array) {
  if (array.ndim() != 2 || (array.shape(1) != 2 && array.shape(1) != 3))
    throw Error(ErrorKind::bad_input, "coordinates are n x 2 or n x 3");
  const int dimensions = static_cast<int>(array.shape(1));
  if (array.dtype() == nb::dtype<float>()) return {dimensions, values_of<float>(array)};
  if (array.dtype() == nb::dtype<double>()) return {dimensions, values_of<double>(array)};
  throw Error(ErrorKind::bad_input, "coordinates are float32 or float64");
}

Points copy_of(const HostArray& array) {
  const PointsView view = view_of(array);
  Points points;
  points.dimensions = view.dimensions;
  std::visit(
      [&](auto values) {
        using T = std::remove_const_t<typename decltype(values)::element_type>;
        points.coordinates = Array<T>(values.begin(), values.end());
      },
      view.coordinates);
  return points;
}

Attribute attribute_of(const NamedArray& given) {
  const auto& [name, array, texts] = given;
  if (array.ndim() != 1) throw Error(ErrorKind::bad_input, "attribute '" + name + "' has not one value per point");
  Attribute attribute;
  attribute.name = name;
  copy_to(attribute.values, array);
  if (name == "x" || name == "y" || name == "z") attribute.meaning = Meaning::coordinate;
  if (texts.empty()) return attribute;
  const auto kept = std::make_shared<Texts>();
  Array<std::int64_t> values;
  for (const nb::bytes& text : texts) {
    if (text.size() > std::size_t{1} << 20)  // more than a line of a text file may have
      throw Error(ErrorKind::bad_input, "attribute '" + name + "' has a text of more than a mebibyte");
    values.push_back(kept->add({text.c_str(), text.size()}, Texts::k_needs_quotes));
  }
  attribute.texts = kept;
  std::visit(
      [&](const auto& numbers) {
        Array<std::int64_t> of_numbers(numbers.size());
        std::ranges::transform(numbers, of_numbers.begin(),
                               [&](auto number) { return values.at(static_cast<std::size_t>(number)); });
        attribute.values = std::move(of_numbers);
      },
      attribute.values);
  return attribute;
}

nb::object to_numpy(AttributeValues&& values) {
  return std::visit(
      [](auto&& array) {
        const std::size_t size = array.size();
        return nb::cast(to_numpy(std::move(array), {size}));
      },
      std::move(values));
}

nb::object to_numpy(Attribute&& attribute) {
  if (!attribute.texts) return to_numpy(std::move(attribute.values));
  nb::list texts;
  std::unordered_map<std::int64_t, std::int32_t> number_of;
  Array<std::int32_t> numbers;
  for (const std::int64_t value : std::get<Array<std::int64_t>>(attribute.values)) {
    const auto [number, is_new] = number_of.try_emplace(value, static_cast<std::int32_t>(number_of.size()));
    const std::string_view text = attribute.texts->at(value);
    if (is_new) texts.append(nb::bytes(text.data(), text.size()));
    numbers.push_back(number->second);
  }
  return nb::make_tuple(to_numpy(AttributeValues(std::move(numbers))), texts);
}

std::string in_words_of_python(std::string_view message) {
  // Options whose values are words, and flags
  static constexpr std::string_view with_words[] = {"invalid", "device", "method", "header", "images"};
  static constexpr std::string_view flags[] = {"force", "sky"};
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  std::string text;
  for (std::size_t i = 0; i < message.size();) {
    const bool is_option = message.substr(i).starts_with("--") && i + 2 < message.size() && is_letter(message[i + 2]) &&
                           (i == 0 || message[i - 1] == ' ' || message[i - 1] == '(');
    if (!is_option) {
      text += message[i++];
      continue;
    }
    const std::size_t begin = text.size();
    for (i += 2; i < message.size() && (is_letter(message[i]) || message[i] == '-'); ++i)
      text += message[i] == '-' ? '_' : message[i];
    const std::string_view name = std::string_view(text).substr(begin);
    if (std::ranges::find(flags, name) != std::end(flags)) text += "=True";
    std::size_t end = i + 1;  // of the word that follows
    while (end < message.size() && (is_letter(message[end]) || message[end] == '-')) ++end;
    const bool has_word = i < message.size() && message[i] == ' ' && end > i + 1;
    for (const std::string_view option : with_words)
      if (has_word && name == option) {
        const std::string_view word = message.substr(i + 1, end - i - 1);
        if (word == "or" || word == "expects" || word == "does" || word == "is" || word == "has") break;
        text += "=\"";
        text += word;
        text += '"';
        i = end;
        break;
      }
  }
  return text;
}

std::vector<std::string> in_words_of_python(std::vector<std::string> messages) {
  for (std::string& message : messages) message = in_words_of_python(message);
  return messages;
}

void Watch::operator()(std::string_view step, double fraction) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_ && !(fraction >= 1 && !callback_.is_none())) return;
  if (is_left_behind()) return;
  const nb::gil_scoped_acquire gil;
  const InCallback within;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!callback_.is_none()) callback_(nb::str(step.data(), step.size()), fraction);
  next_ = std::chrono::steady_clock::now() + k_interval;
}

int forks() { return forks_so_far; }

void refuse_in_callback(const char* what) {
  if (is_in_callback) throw Error(ErrorKind::usage, std::string(what) + " in a progress callback or a signal handler");
}

bool is_left_behind() { return is_exiting && std::this_thread::get_id() != exiting_thread; }

ReleasedGil::~ReleasedGil() {
  if (is_left_behind()) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    for (std::condition_variable never;;) never.wait(lock);
  }
  PyEval_RestoreThread(state_);
}

}  // namespace kann::python

NB_MODULE(_kann, module) {
  using namespace kann::python;
  module.doc() = "The bindings behind the package kann, which is documented; this module may change.";
  nb::set_leak_warnings(false);  // a thread that is left behind at the end of the interpreter keeps its objects
  nb::register_exception_translator(translate);
  pthread_atfork(nullptr, nullptr, [] { ++forks_so_far; });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    exiting_thread = std::this_thread::get_id();
    is_exiting = true;
  }));

  module.attr("version") = std::string(kann::version());
  module.attr("build_commit") = std::string(kann::build_commit());
  module.def(
      "cuda_reason",
      [](int index) {
        const ReleasedGil released;
        const kann::CudaStatus status = kann::cuda_status(index);
        return status.usable ? std::string() : status.reason;
      },
      nb::arg("index"));
  add_search(module);
  add_clouds(module);
  add_products(module);
  add_features(module);
  add_pairs(module);
  add_device(module);
}
