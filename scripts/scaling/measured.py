"""Runs a command, and writes its wall time (s), exit code and maximum resident set (kB) to a file:

  python3 -I -S measured.py FILE COMMAND...

The system counts the maximum of a process from that of its parent upwards, so that this program is a small one: it
imports nothing that is not built in. Of several processes, the maximum is that of the one that took most.
"""

import posix
import sys
import time

start = time.perf_counter()
child = posix.posix_spawnp(sys.argv[2], sys.argv[2:], posix.environ)
_, status, usage = posix.wait4(child, 0)
seconds = time.perf_counter() - start
with open(sys.argv[1], "w", encoding="ascii") as file:
    file.write(f"{seconds} {posix.waitstatus_to_exitcode(status)} {usage.ru_maxrss}")
