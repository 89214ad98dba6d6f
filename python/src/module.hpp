// What all files of the module share: NumPy arrays in and out without copies, and what a long call does with Python.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kann/array.hpp"
#include "kann/attributes.hpp"
#include "kann/error.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

namespace kann::python {

namespace nb = nanobind;

/// An array of any type and shape in C order, in host memory. The Python layer has checked it, and has made a copy
/// where it was necessary.
using HostArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

/// Values by name, as the stub of the module describes them.
using Dictionary = nb::typed<nb::dict, nb::str, nb::any>;

/// The coordinates in `array`, n × 2 or n × 3 of float32 or float64, where they are. @throws Error bad_input.
PointsView view_of(const HostArray& array);

/// A copy of them, for functions that take Points. @throws Error bad_input.
Points copy_of(const HostArray& array);

/// An attribute: its name, a value per point and, where these are numbers of texts, the texts as Attribute has them.
using NamedArray = std::tuple<std::string, HostArray, std::vector<nb::bytes>>;

/// A copy of it. @throws Error bad_input (other shapes and types than attributes have).
Attribute attribute_of(const NamedArray& given);

/// A NumPy array that owns `values`. Nothing is copied.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(Array<T>&& values, const std::vector<std::size_t>& shape) {
  auto kept = std::make_unique<Array<T>>(std::move(values));
  T* const first = kept->data();
  const nb::capsule owner(kept.get(), [](void* array) noexcept { delete static_cast<Array<T>*>(array); });
  kept.release();
  return nb::ndarray<nb::numpy, T>(first, shape.size(), shape.data(), owner);
}

/// A NumPy array that owns the values of an attribute.
nb::object to_numpy(AttributeValues&& values);

/// The same of an attribute. Of text, it is a tuple: the number of each value's text, and the texts.
nb::object to_numpy(Attribute&& attribute);

/// `message` with the options of the command as Python has them: `--include-self` becomes `include_self`, and
/// `--invalid skip` becomes `invalid="skip"`.
std::string in_words_of_python(std::string_view message);

/// The same for several.
std::vector<std::string> in_words_of_python(std::vector<std::string> messages);

/// Refuses the value of an option, as the command does. @throws Error usage.
[[noreturn]] inline void refuse(std::string_view option, std::string_view expected, std::string_view given) {
  throw Error(ErrorKind::usage,
              std::string(option) + " expects " + std::string(expected) + ", got '" + std::string(given) + "'");
}

/// The value for the word `given`. @throws Error usage.
template <class T>
T one_of(std::string_view option, std::string_view given, std::initializer_list<std::pair<std::string_view, T>> words) {
  std::string expected;
  for (const auto& [word, value] : words) {
    if (given == word) return value;
    expected += (expected.empty() ? "" : " or ") + std::string(word);
  }
  refuse(option, expected, given);
}

/// Refuses what would wait for the call behind the callback that runs on this thread. @throws Error usage.
void refuse_in_callback(const char* what);

/// Whether the interpreter is ending, and this is not the thread that ends it: such a thread must not call Python.
bool is_left_behind();

/// Lets other threads run Python until the end of the scope. A thread that is left behind at the end of the interpreter
/// stays in the destructor: Python would end it by unwinding its stack, through functions that must not throw.
class ReleasedGil {
 public:
  ReleasedGil() : state_(PyEval_SaveThread()) {}
  ~ReleasedGil();
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

/// For `on_progress` of the library, in the scope of a ReleasedGil: lets Ctrl-C end the call, and calls `callback`
/// (None: nothing) with a step and the fraction that is done, at most 20 times a second and at the end. The caller
/// keeps the callback alive. @throws nb::python_error, which ends the call: KeyboardInterrupt, or what the callback
/// raised.
class Watch {
 public:
  explicit Watch(nb::handle callback) : callback_(callback) {}

  void operator()(std::string_view step, double fraction);

 private:
  nb::handle callback_;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + k_interval;

  static constexpr std::chrono::milliseconds k_interval{50};
};

// Each of these adds what its file has to the module.
void add_search(nb::module_& module);
void add_clouds(nb::module_& module);
void add_products(nb::module_& module);
void add_features(nb::module_& module);
void add_pairs(nb::module_& module);
void add_device(nb::module_& module);

/// What `search(options)` returns, which runs without the GIL and is watched. @throws what it and Watch throw.
template <class Search>
auto without_gil(SearchOptions options, nb::handle progress, Search search) {
  options.on_progress = Watch(progress);
  const ReleasedGil released;
  return search(options);
}

/// What the search did, with the keys of the command's report (docs/report.schema.json) as far as they are about it.
nb::dict report_of(const SearchReport& report, const SearchOptions& options, bool is_self);

void add_clusters(nb::module_& module);

}  // namespace kann::python
