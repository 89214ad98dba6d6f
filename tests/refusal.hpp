// What a function refuses.
#pragma once

#include <gtest/gtest.h>
#include <string>

#include "kann/error.hpp"

namespace kann::test {

/// The message of the Error that f throws, which has to be of this kind; empty: it throws none.
template <class F>
std::string refusal_of(ErrorKind kind, F&& f) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "";
}

}  // namespace kann::test
