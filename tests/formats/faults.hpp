// System calls that fail when a test says so. faults.cpp replaces those of the C library in the whole test program.
#pragma once

namespace kann::test {

/// The errors that the calls below report; 0: the call works.
struct Faults {
  int write_errno = 0, fsync_errno = 0, close_errno = 0, rename_errno = 0, rename_to_new_errno = 0, chmod_errno = 0;
  int good_writes = 0;  ///< successful calls of write() and pwrite() before the first that fails
  int good_calls = -1;  ///< successful calls of fsync(), close() and any rename before one fails with call_errno
  int call_errno = 0;
  int interruptions = 0;        ///< so many calls of fsync() return EINTR first
  int hint_errno = 0;           ///< of fallocate() and sync_file_range(), whose failures are ignored
  bool partial_writes = false;  ///< most calls of write() and pwrite() return EINTR, EAGAIN or at most seven bytes
};
/// The faults of the calling thread.
extern thread_local Faults faults;

}  // namespace kann::test
