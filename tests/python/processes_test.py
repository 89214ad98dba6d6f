"""The module kann in several processes: a right answer or a clear exception after a fork, and no message from an interpreter
that ends in the middle of a search."""

import concurrent.futures
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import kann
import numpy


def cloud(count, seed=1):
    return numpy.random.default_rng(seed).random((count, 3))


def run(code, **options):
    """Runs a script in another interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False, **options)


def fork():
    """os.fork(), without the warning of Python 3.12 about forks beside threads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def rows_in_child(index):
    """Of the same search as in the parent."""
    data = cloud(3000)
    return [kann.search(data, k=4).ids.tobytes(), kann.search(data, k=8, method="shifted-sort").ids.tobytes(),
            index.search(k=4).ids.tobytes()]


class Processes(unittest.TestCase):
    def test_forks(self):
        index = kann.Index(cloud(3000))
        expected = rows_in_child(index)

        def search_in_child():
            child = fork()
            if child == 0:
                os._exit(0 if rows_in_child(index) == expected == rows_in_child(kann.Index(cloud(3000))) else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

        search_in_child()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:  # a thread that has searched, and threads of its own
            pool.submit(rows_in_child, index).result()
            pool.submit(search_in_child).result()
        self.assertEqual(rows_in_child(index), expected)

    def test_a_fork_while_another_thread_searches(self):
        """That thread may hold the locks of the index, and the child does not have it."""
        data = cloud(300_000)
        for options in ({}, {"method": "shifted-sort"}, {"periodic": (1, 1, 1)}):
            options.update(k=8, device="cpu", threads=1)
            expected = kann.search(data, data[:100], **options).ids
            for delay in (0.003, 0.02, 0.04):
                with self.subTest(options=options, delay=delay):
                    index = kann.Index(data)
                    thread = threading.Thread(target=index.search, args=(data[:1000],), kwargs=options)
                    thread.start()
                    time.sleep(delay)
                    child = fork()
                    if child == 0:
                        is_right = False
                        try:
                            signal.alarm(20)  # ends a child that hangs
                            is_right = numpy.array_equal(index.search(data[:100], **options).ids, expected)
                            del index
                        finally:
                            os._exit(0 if is_right else 1)
                    thread.join()
                    self.assertEqual(os.waitpid(child, 0)[1], 0)
                    numpy.testing.assert_array_equal(index.search(data[:100], **options).ids, expected)

    def test_a_pool_of_forks(self):
        code = """if True:
            import multiprocessing, kann, numpy
            data = numpy.random.default_rng(1).random((3000, 3))
            def search(k): return kann.search(data, k=k).ids.sum()
            with multiprocessing.get_context("fork").Pool(2) as pool: before = pool.map(search, range(1, 9), 1)
            here = [search(k) for k in range(1, 9)]
            with multiprocessing.get_context("fork").Pool(2) as pool: after = pool.map(search, range(1, 9), 1)
            assert before == here == after"""
        done = run(code, env={**os.environ, "PYTHONWARNINGS": "ignore"})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_interpreter_ends_in_the_middle(self):
        for call in ("kann.search(data, k=16, device='cpu', threads=1, progress=began)",
                     "kann.Index(data).search(k=8, method='shifted-sort', device='cpu', progress=began)",
                     "kann.verify(data, None, found, progress=began)", "kann.write(path, data, force=True, progress=began)"):
            for end in ("", "raise SystemExit(0)"):
                with self.subTest(call=call, end=end), tempfile.TemporaryDirectory() as folder:
                    code = f"""if True:
                        import threading, kann, numpy
                        event = threading.Event()
                        began = lambda *_: event.set()
                        data, path = numpy.random.default_rng(1).random((300_000, 3)), {folder + "/a.csv"!r}
                        found = kann.Found.of(numpy.zeros((300_000, 8), 'i4'), numpy.zeros((300_000, 8), 'f4'))
                        threading.Thread(target=lambda: {call}, daemon=True).start()
                        event.wait(20)
                        {end}"""
                    done = run(code)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(warnings="error")
