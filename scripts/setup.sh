# Sourced by scripts/kann, scripts/test and scripts/bench: installs missing packages and builds. Its own messages go to
# stderr. The output of the tools goes to build/setup.log; if a tool fails, the end of the log is printed.
#
# KANN_PRESET selects the CMake preset (cpu, cuda, asan …). Without it, an existing build is used, the one with CUDA if
# there are two; if there is none, the preset is cuda if there are a usable nvcc and an NVIDIA driver, else cpu.
# shellcheck shell=bash

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
log=$root/build/setup.log
packages=(libcli11-dev libnanoflann-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libfast-float-dev libdeflate-dev
  libhwy-dev libpng-dev libtomlplusplus-dev python3-venv)

note() { printf 'kann: %s\n' "$*" >&2; }
fail() { printf 'kann: error: %s\n' "$*" >&2; exit 4; }

# Searches the same places as cmake/KannCuda.cmake for CUDA 12.0 or later (11.8, in Debian 12, has no C++20). If only an
# older nvcc is found, old_nvcc describes it.
old_nvcc=
has_nvcc() {
  local places=("${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" /usr/local/cuda/bin/nvcc nvcc) compiler version
  [[ -z ${CUDACXX:-} ]] || places=("$CUDACXX")
  for compiler in "${places[@]}"; do
    command -v -- "$compiler" >/dev/null || continue
    version=$("$compiler" --version 2>/dev/null </dev/null | sed -n 's/.*release \([0-9][0-9.]*\).*/\1/p') || true
    ((${version%%.*} + 0 >= 12)) && return
    old_nvcc="$compiler is CUDA ${version:-of an unknown version}"
  done
  return 1
}

# Whether there is an NVIDIA driver, also inside a container or WSL.
has_driver() {
  local place
  for place in /proc/driver/nvidia/version /dev/nvidiactl /dev/nvhost-gpu /dev/dxg; do
    [[ ! -e $place ]] || return 0
  done
  command -v nvidia-smi >/dev/null
}

has_build() { [[ -x $root/build/$1/kann ]]; }

# Refuses a name that is no preset, before its build folder is created.
check_preset() {
  local names
  names=$(sed -n 's/.*"name": *"\([^"]*\)".*/\1/p' "$root"/CMake{,User}Presets.json 2>/dev/null | grep -vx base |
    sort -u) || true
  grep -qxF -e "$1" <<<"$names" && return
  printf 'kann: error: KANN_PRESET expects one of %s, got %q\n' "${names//$'\n'/, }" "$1" >&2
  exit 2
}

preset=${KANN_PRESET:-}
nvcc_alone= # yes: nvcc without a driver
if [[ $preset ]]; then
  check_preset "$preset"
elif has_build cuda; then
  preset=cuda
elif has_build cpu; then
  preset=cpu
  if has_driver && has_nvcc; then
    note "this is the build without CUDA, $root/build/cpu; KANN_PRESET=cuda makes one with CUDA"
  fi
elif has_nvcc; then
  if has_driver; then preset=cuda; else preset=cpu nvcc_alone=yes; fi
else
  preset=cpu
fi
build=$root/build/$preset

fail_with_log() {
  tail -n 25 -- "$log" >&2
  fail "$1 failed; the whole log is $log"
}

# follow_build BUILDING: copies the output of the build from stdin to the log. Prints at the first step that it builds,
# unless BUILDING is set because this was printed before. On a terminal, shows the number of the step.
follow_build() {
  local building=$1 line
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[[1-9][0-9]*/[0-9]+\] ]] || continue
    [[ $building ]] || note "building in $build (log: $log)"
    building=yes
    [[ ! -t 2 ]] || printf '\r\033[Kkann: %s' "${BASH_REMATCH[0]}" >&2
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

missing_packages() {
  local tool package
  for tool in g++ cmake git; do
    command -v "$tool" >/dev/null || echo "$tool"
  done
  command -v ninja >/dev/null || echo ninja-build
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
  done
}

install_missing() {
  command -v apt-get >/dev/null || return 0  # without apt-get, CMake reports what is missing
  local missing how=()
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  if (($(id -u) != 0)); then
    local hint="as root: apt-get install ${missing[*]}"
    command -v sudo >/dev/null || fail "packages are missing and there is no sudo; $hint"
    how=(sudo)
    [[ -t 2 ]] || how+=(-n)  # without a terminal, sudo must not ask for a password
    "${how[@]}" true 2>>"$log" || fail "packages are missing and sudo is refused; $hint"
  fi
  how+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=60)
  note "installing ${missing[*]}"
  local start
  start=$(wc -l <"$log")
  # Continue if the update fails: the existing package lists may suffice.
  "${how[@]}" update >>"$log" 2>&1 </dev/null || true
  "${how[@]}" install --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null && return
  local why="see $log"
  case $(tail -n "+$((start + 1))" -- "$log") in
    *'Could not get lock'* | *'Unable to acquire'*) why='another package manager is at work' ;;
    *'Could not resolve'* | *'Failed to fetch'* | *'Could not connect'* | *'Unable to locate'*)
      why='no network, or no such package'
      ;;
  esac
  fail "cannot install packages ($why); needed: ${missing[*]}"
}

# Whether no source file is newer than the last build. A single find, so that it takes milliseconds. The stamp has the
# time at which that build started: a file that was saved during the build is newer.
up_to_date() {
  [[ -e $build/.built && -z $(find "$root"/CMake* "$root"/cmake "$root"/include "$root"/src \
    -newer "$build/.built" -print -quit) ]]
}

# build_target TARGET CMAKE_OPTION…: of several concurrent calls, one builds and the others wait.
build_target() {
  local target=$1
  shift
  mkdir -p -- "$build" 2>/dev/null || true
  [[ -w $root/build && -w $build ]] || fail "$build cannot be written; copy the project to a folder of your own"
  (
    if ! flock -n 9; then
      note "waiting for another build in $root/build"
      flock 9
      [[ $target == kann_program ]] && up_to_date && exit
    fi
    : >"$log"
    install_missing
    if [[ $nvcc_alone ]]; then
      note 'there is nvcc but no NVIDIA driver: building for the CPU alone; KANN_PRESET=cuda builds with CUDA'
    elif [[ $old_nvcc && $preset == cpu ]]; then
      note "$old_nvcc; kann needs 12.0 or later for CUDA: the CPU will do the work"
    elif [[ -z ${KANN_PRESET:-} && $preset == cpu && (-e /dev/nvidiactl || -e /dev/dxg) ]]; then
      note 'there is a GPU but no nvcc (the CUDA toolkit): the CPU will do the work'
    fi
    touch -- "$build/.started"
    # A new build folder is configured without the tests, which need more packages. An existing one keeps its options,
    # unless its cache is from another path (the tree was copied or moved). python3-venv has the pip that fetches LASzip.
    local fresh=() building=
    if ! grep -qxsF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
      fresh=(--fresh -DKANN_TESTS=OFF -DKANN_LASZIP=FETCH)
      building=yes
      note "building in $build; the first time takes minutes (log: $log)"
    fi
    cd -- "$root" || exit
    # stdin is not passed on: it may be a point cloud for kann.
    cmake --preset "$preset" "${fresh[@]}" "$@" >>"$log" 2>&1 </dev/null || fail_with_log 'configuring'
    cmake --build "$build" --target "$target" --parallel "$(nproc)" 2>&1 </dev/null | follow_build "$building" || fail_with_log 'building'
    mv -- "$build/.started" "$build/.built"
  ) 9>"$root/build/.lock"
}

# Prints the first clang whose libFuzzer is there: the runtime is a package of its own.
find_clang() {
  local candidate
  for candidate in clang++ clang++-{20,19,18,17,16,15,14}; do
    command -v "$candidate" >/dev/null || continue
    "$candidate" -fsanitize=fuzzer,address -x c++ - -o /dev/null 2>/dev/null \
      <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' || continue
    echo "$candidate"
    return
  done
}

# build_sanitized FOLDER SANITIZERS OPTION… -- TARGET…: builds with the options of CMake in build/FOLDER, quietly unless it fails.
build_sanitized() {
  local folder=$root/build/$1 options=(-DKANN_SANITIZE="$2" -DKANN_TESTS=ON)
  shift 2
  for (( ; $#; )); do
    [[ $1 != -- ]] || { shift; break; }
    options+=("$1")
    shift
  done
  ! command -v ccache >/dev/null || options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  mkdir -p -- "$folder"
  cmake -S "$root" --preset asan -B "$folder" "${options[@]}" >"$folder/build.log" 2>&1 &&
    cmake --build "$folder" --target "$@" >>"$folder/build.log" 2>&1 || { tail -n 25 "$folder/build.log" >&2; exit 4; }
}

# build_with_clang COMPILER TARGET…: in build/clang, where scripts/fuzz and scripts/sanitize share what is compiled.
build_with_clang() {
  local compiler=$1
  shift
  build_sanitized clang address,undefined,fuzzer-no-link -DCMAKE_CXX_COMPILER="$compiler" -DKANN_FUZZ=ON -DKANN_MPI=OFF \
    -DKANN_LASZIP=FETCH -- "$@"
}
