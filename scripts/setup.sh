# Shared by scripts/kann and scripts/test, which source it: installs what is missing and builds once. Everything it says
# goes to stderr, in few words; what its tools say goes to build/setup.log, whose end is shown when one of them fails.
#
# KANN_PRESET picks the CMake preset (cpu, cuda, asan …). Without it, the build that is there is used, with CUDA if there
# are both; where there is none, cuda with a usable nvcc and an NVIDIA driver, cpu elsewhere.
# shellcheck shell=bash

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
log=$root/build/setup.log
packages=(libcli11-dev libnanoflann-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libfast-float-dev libdeflate-dev
  libhwy-dev)

note() { printf 'kann: %s\n' "$*" >&2; }
fail() { printf 'kann: error: %s\n' "$*" >&2; exit 4; }

# Looks where cmake/KannCuda.cmake looks, and like it takes CUDA 12.0 or later: Debian 12's own 11.8 has no C++20. An
# older one that was found instead is told in old_nvcc.
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

# A driver that can be used now, of a container or of WSL too.
has_driver() {
  local place
  for place in /proc/driver/nvidia/version /dev/nvidiactl /dev/nvhost-gpu /dev/dxg; do
    [[ ! -e $place ]] || return 0
  done
  command -v nvidia-smi >/dev/null
}

has_build() { [[ -x $root/build/$1/kann ]]; }

# Refuses a name that no preset has before a folder is made for it.
check_preset() {
  local names
  names=$(sed -n 's/.*"name": *"\([^"]*\)".*/\1/p' "$root"/CMake{,User}Presets.json 2>/dev/null | grep -vx base |
    sort -u) || true
  grep -qxF -e "$1" <<<"$names" && return
  printf 'kann: error: KANN_PRESET expects one of %s, got %q\n' "${names//$'\n'/, }" "$1" >&2
  exit 2
}

preset=${KANN_PRESET:-}
nvcc_alone= # there is an nvcc, and no driver
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

# follow_build BUILDING: what the build prints (stdin) goes to the log. Unless BUILDING says that this was told, the first
# step says that something is being built; on a terminal, a line counts the steps.
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
  command -v apt-get >/dev/null || return 0  # elsewhere CMake says what it does not find
  local missing how=()
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  if (($(id -u) != 0)); then
    local hint="as root: apt-get install ${missing[*]}"
    command -v sudo >/dev/null || fail "packages are missing and there is no sudo; $hint"
    how=(sudo)
    [[ -t 2 ]] || how+=(-n)  # nobody is there to be asked for a password
    "${how[@]}" true 2>>"$log" || fail "packages are missing and sudo is refused; $hint"
  fi
  how+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=60)
  note "installing ${missing[*]}"
  local start
  start=$(wc -l <"$log")
  # A failed update is not the end: the lists that are there may do.
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

# Whether no source is newer than the last build. One find, so that it costs a later call milliseconds. The stamp is as
# old as the start of that build: a file saved meanwhile counts as newer.
up_to_date() {
  [[ -e $build/.built && -z $(find "$root"/CMake* "$root"/cmake "$root"/include "$root"/src \
    -newer "$build/.built" -print -quit) ]]
}

# build_target TARGET CMAKE_OPTION…: of several calls at once, the first builds and the others wait for it.
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
    # A new build folder begins without the tests, which need more packages; an old one keeps what it has, unless its
    # cache comes from another place (the tree was copied or moved).
    local fresh=() building=
    if ! grep -qxsF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
      fresh=(--fresh -DKANN_TESTS=OFF)
      building=yes
      note "building in $build; the first time takes minutes (log: $log)"
    fi
    cd -- "$root" || exit
    # stdin is closed: it may be the user's point cloud.
    cmake --preset "$preset" "${fresh[@]}" "$@" >>"$log" 2>&1 </dev/null || fail_with_log 'configuring'
    cmake --build "$build" --target "$target" 2>&1 </dev/null | follow_build "$building" || fail_with_log 'building'
    mv -- "$build/.started" "$build/.built"
  ) 9>"$root/build/.lock"
}
