# Shared by scripts/kann and scripts/test, which source it: installs what is missing and builds once. Everything it says
# goes to stderr, in few words; what its tools say goes to build/setup.log, whose end is shown when one of them fails.
#
# KANN_PRESET picks the CMake preset (cpu, cuda, asan …); without it, cuda where nvcc is found and cpu elsewhere.
# shellcheck shell=bash

root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")
log=$root/build/setup.log
packages=(libcli11-dev libnanoflann-dev libspdlog-dev libfmt-dev nlohmann-json3-dev libfast-float-dev libdeflate-dev)

note() { printf 'kann: %s\n' "$*" >&2; }
fail() { printf 'kann: error: %s\n' "$*" >&2; exit 4; }

# The places where cmake/KannCuda.cmake looks.
has_nvcc() {
  local compiler
  for compiler in nvcc "${CUDACXX:-}" "${CUDA_PATH:+$CUDA_PATH/bin/nvcc}" /usr/local/cuda/bin/nvcc; do
    [[ -n $compiler ]] && command -v -- "$compiler" >/dev/null && return
  done
  return 1
}

preset=${KANN_PRESET:-$(if has_nvcc; then echo cuda; else echo cpu; fi)}
build=$root/build/$preset

# logged WHAT COMMAND…: stdin is closed, since it may be the user's point cloud.
logged() {
  local what=$1
  shift
  "$@" >>"$log" 2>&1 </dev/null && return
  tail -n 25 -- "$log" >&2
  fail "$what failed; the whole log is $log"
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
    if [[ $preset == cpu && (-e /dev/nvidiactl || -e /dev/dxg) ]]; then
      note 'there is a GPU but no nvcc (the CUDA toolkit): the CPU will do the work'
    fi
    note "building in $build; the first time takes minutes"
    touch -- "$build/.started"
    # A new build folder begins without the tests, which need more packages; an old one keeps what it has, unless its
    # cache comes from another place (the tree was copied or moved).
    local fresh=()
    if ! grep -qxsF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
      fresh=(--fresh -DKANN_TESTS=OFF)
    fi
    cd -- "$root" || exit
    logged 'configuring' cmake --preset "$preset" "${fresh[@]}" "$@"
    logged 'building' cmake --build "$build" --target "$target"
    mv -- "$build/.started" "$build/.built"
  ) 9>"$root/build/.lock"
}
