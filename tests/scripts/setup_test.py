"""scripts/kann and scripts/test in a temporary tree, with fake cmake, ctest, apt-get, dpkg-query, id and sudo, which
record their calls. The fake cmake "builds" a program that prints its working directory, its arguments and its standard
input. Nothing is installed or compiled."""

import os
import pathlib
import shutil
import subprocess
import unittest

from folder_case import FolderCase

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"

DRIVERS = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/nvhost-gpu", "/dev/dxg")
CMAKE = r"""#!/bin/bash
echo "cmake $*" >>"$CALLS"
echo 'cmake says this on stdout'
cat >/dev/null
if [[ $1 == --build ]]; then
  [[ -z $HOLD ]] || read -r <"$HOLD"
  [[ -z $UNCHANGED ]] || { echo 'ninja: no work to do.'; exit; }
  echo '[1/2] Building CXX object main.cpp.o'
  [[ -z $BROKEN ]] || { echo 'FAILED: kernel.o'; exit 1; }
  printf '#!/bin/bash\nprintf "%%s\\n" "$PWD" "$@"; cat\n' >"$2/kann"
  chmod +x "$2/kann"
fi
"""
APT_GET = r"""#!/bin/bash
echo "apt-get $*" >>"$CALLS"
[[ -z $APT_ERROR ]] || { echo "$APT_ERROR"; exit 100; }
"""


class SetupTest(FolderCase):
    def setUp(self):
        super().setUp()
        self.tree = self.folder / "the tree"
        for name in ("scripts", "src", "include", "cmake"):
            (self.tree / name).mkdir(parents=True)
        (self.tree / "CMakeLists.txt").touch()
        for name in ("kann", "test", "setup.sh"):
            shutil.copy(SCRIPTS / name, self.tree / "scripts")
        shutil.copy(SCRIPTS.parent / "CMakePresets.json", self.tree)
        self.build = self.tree / "build" / "cpu"
        self.tools = self.folder / "bin"
        self.tools.mkdir()
        self.tool("cmake", CMAKE)
        self.tool("apt-get", APT_GET)
        self.tool("dpkg-query", '#!/bin/bash\n[[ " $ABSENT " == *" ${@: -1} "* ]] || echo installed\n')
        self.tool("ctest", '#!/bin/bash\necho "ctest${TEST_THOROUGH:+ thorough}${TEST_PART:+ part $TEST_PART} $*" >>"$CALLS"; echo "the closing line"\n')
        self.tool("id", '#!/bin/bash\necho "${USER_ID:-0}"\n')
        self.tool("sudo", "#!/bin/bash\nexit 1\n")
        for name in ("g++", "git", "ninja"):
            self.tool(name, "#!/bin/bash\n")
        self.environment = dict(os.environ, PATH=f"{self.tools}:/usr/bin:/bin", CALLS=str(self.folder / "calls"),
                                KANN_PRESET="cpu", CUDACXX="", CUDA_PATH="", BROKEN="", UNCHANGED="", ABSENT="",
                                APT_ERROR="", HOLD="", TEST_THOROUGH="", TEST_PART="")

    def tool(self, name, text):
        self.program(f"bin/{name}", text)

    def start(self, script, *arguments, **environment):
        return subprocess.Popen([self.tree / "scripts" / script, *arguments], cwd=self.folder, text=True,
                                env={**self.environment, **environment}, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def call(self, script, *arguments, stdin="", **environment):
        process = self.start(script, *arguments, **environment)
        stdout, stderr = process.communicate(stdin)
        return process.returncode, stdout, stderr

    def calls(self):
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def test_arguments_folder_and_stdin_reach_the_program_and_stdout_is_its_own(self):
        code, stdout, _ = self.call("kann", "--data", "a b.ply", "*", "", stdin="a cloud")
        self.assertEqual((code, stdout), (0, f"{self.folder}\n--data\na b.ply\n*\n\na cloud"))

    def test_a_symbolic_link_to_the_script_works(self):
        (self.folder / "link").symlink_to(self.tree / "scripts" / "kann")
        link = subprocess.run([self.folder / "link", "x"], cwd=self.folder, env=self.environment, text=True, check=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(link.stdout, f"{self.folder}\nx\n")

    def test_builds_once_and_again_when_a_source_is_newer(self):
        self.call("kann")
        first = self.calls()
        self.assertEqual(len(first), 2)
        code, _, stderr = self.call("kann")
        self.assertEqual((code, stderr, self.calls()), (0, "", first))
        newer = self.tree / "src" / "new.cpp"
        newer.touch()
        after = (self.build / ".built").stat().st_mtime + 1
        os.utime(newer, (after, after))
        self.call("kann")
        self.assertEqual(len(self.calls()), 4)

    def test_two_first_calls_at_once_build_once(self):
        hold = self.folder / "hold"
        os.mkfifo(hold)
        first = self.start("kann", "one", HOLD=str(hold))
        with hold.open("w"):  # opens when the first build reads from it, and ends that build when closed
            second = self.start("kann", "two")
            self.assertIn("waiting for another build", second.stderr.readline())
        answers = [process.communicate("")[0] for process in (first, second)]
        self.assertEqual(answers, [f"{self.folder}\none\n", f"{self.folder}\ntwo\n"])
        self.assertEqual(sum("--build" in call for call in self.calls()), 1)

    def test_a_failed_build_shows_the_end_of_its_log_and_is_tried_again(self):
        code, stdout, stderr = self.call("kann", BROKEN="yes")
        self.assertEqual((code, stdout), (4, ""))
        self.assertIn("FAILED: kernel.o", stderr)
        self.assertIn("kann: error: building failed", stderr)
        self.assertEqual(self.call("kann")[0], 0)

    def configure_with_a_cache_of(self, folder):
        self.build.mkdir(parents=True)
        (self.build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={folder}\n")
        self.call("kann")
        return self.calls()[0]

    def test_a_moved_tree_is_configured_afresh(self):
        self.assertEqual(self.configure_with_a_cache_of("/elsewhere"), "cmake --preset cpu --fresh -DKANN_TESTS=OFF -DKANN_LASZIP=FETCH")

    def test_a_build_folder_that_has_the_tests_keeps_them(self):
        self.assertEqual(self.configure_with_a_cache_of(self.tree), "cmake --preset cpu")

    def test_installs_only_what_is_missing(self):
        self.call("kann", ABSENT="libfmt-dev libcli11-dev")
        install = [call for call in self.calls() if " install " in call]
        self.assertEqual(len(install), 1)
        self.assertTrue(install[0].endswith("libcli11-dev libfmt-dev"), install)

    def assert_names_the_package_and_ends_with_4(self, reason, **environment):
        code, stdout, stderr = self.call("kann", ABSENT="libfmt-dev", **environment)
        self.assertEqual((code, stdout), (4, ""))
        last = stderr.splitlines()[-1]
        self.assertTrue(last.startswith("kann: error: "), stderr)
        self.assertIn(reason, last)
        self.assertIn("libfmt-dev", last)

    def test_no_network(self):
        self.assert_names_the_package_and_ends_with_4("no network", APT_ERROR="E: Failed to fetch http://deb")

    def test_a_locked_package_manager(self):
        self.assert_names_the_package_and_ends_with_4("another package manager is at work",
                                                      APT_ERROR="E: Could not get lock /var/lib/dpkg/lock-frontend")

    def test_refused_sudo(self):
        self.assert_names_the_package_and_ends_with_4("sudo is refused", USER_ID="1000")

    def call_with_cuda(self, release="12.0", driver=True, preset=""):
        self.tool("nvcc", f"#!/bin/bash\necho 'Cuda compilation tools, release {release}, V{release}.1'\n")
        if driver:
            self.tool("nvidia-smi", "#!/bin/bash\n")
        code, _, stderr = self.call("kann", KANN_PRESET=preset, CUDACXX=str(self.tools / "nvcc"))
        self.assertEqual(code, 0, stderr)
        return stderr

    def preset_with_cuda(self, release, driver=True):
        stderr = self.call_with_cuda(release, driver)
        return self.calls()[0].split()[2], stderr

    def test_nvcc_and_a_driver_decide_the_preset(self):
        preset, stderr = self.preset_with_cuda("12.0")
        self.assertEqual(preset, "cuda")
        self.assertNotIn("KANN_PRESET", stderr)

    @unittest.skipIf(any(map(os.path.exists, DRIVERS)) or shutil.which("nvidia-smi", path="/usr/bin:/bin"),
                     "this machine has an NVIDIA driver")
    def test_nvcc_without_a_driver_builds_for_the_cpu_and_says_how_to_build_with_cuda(self):
        preset, stderr = self.preset_with_cuda("12.0", driver=False)
        self.assertEqual(preset, "cpu")
        self.assertIn("no NVIDIA driver", stderr)
        self.assertIn("KANN_PRESET=cuda", stderr)
        self.assertEqual(self.call_with_cuda(driver=False), "")  # printed only when it builds
        self.call_with_cuda(driver=False, preset="cuda")
        self.assertEqual(self.calls()[2].split()[2], "cuda")

    def test_an_existing_build_is_used_without_the_variable(self):
        self.call("kann")
        calls = self.calls()
        stderr = self.call_with_cuda()
        self.assertEqual(self.calls(), calls)
        self.assertEqual(stderr, f"kann: this is the build without CUDA, {self.build}; KANN_PRESET=cuda makes one with"
                                 " CUDA\n")
        self.call_with_cuda(preset="cuda")
        calls = self.calls()
        self.assertEqual(self.call_with_cuda(), "")  # of the two builds, the one with CUDA
        self.assertEqual(self.calls(), calls)
        (self.tree / "build" / "cpu" / "kann").unlink()
        self.assertEqual(self.call_with_cuda(), "")
        self.assertEqual(self.calls(), calls)

    def test_an_unfinished_build_is_not_used(self):
        self.call("kann", BROKEN="yes")
        self.call_with_cuda()
        self.assertEqual(self.calls()[-2].split()[2], "cuda")

    def test_an_unknown_preset_is_refused_and_leaves_nothing_behind(self):
        for name in ("foo", "base", "../cpu", "cpu cuda", "c.u"):
            code, stdout, stderr = self.call("kann", KANN_PRESET=name)
            self.assertEqual((code, stdout), (2, ""))
            quoted = name.replace(" ", "\\ ")
            self.assertEqual(stderr, f"kann: error: KANN_PRESET expects one of asan, cpu, cuda, got {quoted}\n")
        self.assertFalse((self.tree / "build").exists())
        self.assertEqual(self.calls(), [])

    def test_a_preset_of_the_user_is_accepted(self):
        (self.tree / "CMakeUserPresets.json").write_text('{"configurePresets": [{"name": "mine", "inherits": "cpu"}]}')
        self.assertEqual(self.call("kann", KANN_PRESET="mine")[0], 0)
        self.assertEqual(self.calls()[0].split()[2], "mine")

    def test_an_nvcc_without_cxx20_is_not_used_and_is_named(self):
        preset, stderr = self.preset_with_cuda("11.8")
        self.assertEqual(preset, "cpu")
        self.assertIn("nvcc is CUDA 11.8", stderr)

    def test_prints_that_it_builds_and_the_path_of_the_log_only_when_it_builds(self):
        log = str(self.tree / "build" / "setup.log")
        _, _, first = self.call("test")
        self.assertIn("kann: building in ", first)
        self.assertIn(log, first)
        (self.build / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={self.tree}\n")
        self.assertEqual(self.call("test", UNCHANGED="yes")[2], "")
        _, _, changed = self.call("test")
        self.assertEqual(changed, f"kann: building in {self.build} (log: {log})\n")

    def test_test_builds_everything_and_passes_its_arguments_to_ctest(self):
        code, stdout, _ = self.call("test", "-L", "formats")
        self.assertEqual((code, stdout), (0, "the closing line\n"))
        configure, build, ctest = self.calls()
        self.assertTrue(configure.endswith("-DKANN_TESTS=ON -DKANN_PYTHON=FETCH"), configure)
        self.assertIn(" --target all ", build)
        self.assertTrue(ctest.startswith(f"ctest --test-dir {self.build} -j ") and ctest.endswith("-L formats"), ctest)

    def test_test_chooses_the_cases_of_long_loops(self):
        for arguments, seen in ((["--thorough", "-L", "formats"], "ctest thorough --test-dir"),
                                (["-L", "formats", "--part", "13"], "ctest part 13 --test-dir")):
            self.assertEqual(self.call("test", *arguments)[0], 0)
            self.assertTrue(self.calls()[-1].startswith(seen) and self.calls()[-1].endswith("error -L formats"), self.calls()[-1])
        before = self.calls()
        for text in ("", "-1", "x", "1.5"):
            code, stdout, stderr = self.call("test", "--part", text)
            self.assertEqual((code, stdout, stderr), (2, "", f"test: --part expects a number, got '{text}'\n"))
        self.assertEqual(self.calls(), before)
        self.assertIn("--thorough", self.call("test", "--help")[1])


if __name__ == "__main__":
    unittest.main()
