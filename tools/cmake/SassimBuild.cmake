# SPDX-License-Identifier: Apache-2.0
# How modules, programs and tests of this project are declared.

# Debian's Python, which has the packages that tools/bootstrap installs; one on the PATH (pyenv, conda) has not.
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "the Python that tests and the package use")
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

find_package(Boost REQUIRED)
find_package(TBB REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
pkg_check_modules(ELF REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(CAIRO REQUIRED cairo)  # its headers
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
find_library(SASSIM_IBERTY iberty REQUIRED)  # its demangler can be stopped, unlike that of the C++ library
if(SASSIM_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(SASSIM_BENCHMARKS)
  find_package(benchmark REQUIRED)
endif()

find_program(SASSIM_CCACHE ccache)
if(SASSIM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SASSIM_CCACHE})
endif()
find_program(SASSIM_MOLD mold)

add_library(sassim_options INTERFACE)
target_compile_features(sassim_options INTERFACE cxx_std_20)
# Debian builds SystemC as C++17; it checks that its users say so.
target_compile_definitions(sassim_options INTERFACE SC_CPLUSPLUS=201703L SPDLOG_FMT_EXTERNAL
  SASSIM_VERSION="${PROJECT_VERSION}" $<$<CONFIG:Debug>:SASSIM_DEBUG>)
target_compile_options(sassim_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # false positives on std::string in GCC 12 (GCC bug 105329)
  -ffp-contract=off $<$<CONFIG:Debug>:-Og>
  -fno-semantic-interposition)  # nobody replaces a function of libcudart by one of a program: calls may be inlined
if(CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  target_compile_options(sassim_options INTERFACE -march=x86-64-v2)  # every processor since 2009: counts bits in one instruction
endif()
target_include_directories(sassim_options INTERFACE ${CMAKE_SOURCE_DIR})
if(SASSIM_MOLD)
  target_link_options(sassim_options INTERFACE -fuse-ld=mold)
endif()
option(SASSIM_FUZZ_LONG "fuzz tests run many more rounds" OFF)
if(SASSIM_FUZZ_LONG)
  target_compile_definitions(sassim_options INTERFACE SASSIM_FUZZ_LONG)
endif()
if(SASSIM_SANITIZE)
  # Instrumented code of the standard library looks uninitialised to GCC 12 where it is not (GCC bug 105562).
  target_compile_options(sassim_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -fsanitize=${SASSIM_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(sassim_options INTERFACE -fsanitize=${SASSIM_SANITIZE})
  set(runtime libtsan.so)
  if(SASSIM_SANITIZE MATCHES address)
    set(runtime libasan.so)
  endif()
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${runtime} OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(SASSIM_PRELOADED LD_PRELOAD=${runtime} ASAN_OPTIONS=detect_leaks=0)
endif()

# Most of a small file's compile time is the headers of the standard library: a clean build takes half the time when
# eight files share them. Day to day, files on their own rebuild faster and ccache finds more of them.
option(SASSIM_UNITY "compile the files of a target in groups of eight" OFF)
function(sassim_unity target)
  if(SASSIM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# With SASSIM_UNITY, these files of a module are one group, and the others are in groups of eight.
function(sassim_unity_group module name)
  get_target_property(sources sassim_${module} SOURCES)
  list(REMOVE_ITEM sources ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
  set(number 0)
  foreach(source IN LISTS sources)
    math(EXPR group "${number} / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP group_${group})
    math(EXPR number "${number} + 1")
  endforeach()
  set_target_properties(sassim_${module} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# In modules and in the programs made of them, a number is narrowed only where the code says so. Clang means more by this
# name.
function(sassim_check_conversions target)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wconversion>)
endfunction()

# A module is the folder of its name below the current one, or without such a folder the current one. Files of its SEPARATE folders
# have equal local names and are compiled one by one. All modules are OBJECT libraries, because a static library would drop the
# parts that register themselves by name.
# What runs once per command is COLD: compiling it fast matters more than its own speed.
#   sassim_module(isa DEPENDS base LIBRARIES PkgConfig::ELF)
function(sassim_module name)
  cmake_parse_arguments(ARG "RECURSE;COLD" "" "DEPENDS;LIBRARIES;EXCLUDE;SEPARATE" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(IS_DIRECTORY ${folder}/${name})
    set(folder ${folder}/${name})
  endif()
  if(ARG_RECURSE)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  else()
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  endif()
  foreach(file IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources ${folder}/${file})
  endforeach()
  if(sources)
    add_library(sassim_${name} OBJECT ${sources})
    sassim_unity(sassim_${name})
    foreach(separate IN LISTS ARG_SEPARATE)
      file(GLOB files CONFIGURE_DEPENDS ${folder}/${separate}/*.cpp)
      set_source_files_properties(${files} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
    sassim_check_conversions(sassim_${name})
    if(ARG_COLD)
      target_compile_options(sassim_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
    set(scope PUBLIC)
  else()
    add_library(sassim_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(sassim_${name} ${scope} sassim_options fmt::fmt spdlog::spdlog ${ARG_LIBRARIES})
  foreach(dependency IN LISTS ARG_DEPENDS)
    target_link_libraries(sassim_${name} ${scope} sassim_${dependency})
  endforeach()
  set_property(GLOBAL PROPERTY sassim_${name}_depends "${ARG_DEPENDS}")
endfunction()

# Links a program with modules and everything they depend on. NO_SC_MAIN: SystemC finds its sc_main() elsewhere.
function(sassim_use target)
  cmake_parse_arguments(ARG "NO_SC_MAIN" "" "" ${ARGN})
  set(todo ${ARG_UNPARSED_ARGUMENTS})
  set(done "")
  while(todo)
    list(POP_FRONT todo name)
    if(NOT name IN_LIST done)
      list(APPEND done ${name})
      get_property(dependencies GLOBAL PROPERTY sassim_${name}_depends)
      list(APPEND todo ${dependencies})
      target_link_libraries(${target} PRIVATE sassim_${name})
    endif()
  endwhile()
  if("arch" IN_LIST done AND NOT ARG_NO_SC_MAIN)
    target_link_libraries(${target} PRIVATE sassim_sc_main)
  endif()
  target_link_libraries(${target} PRIVATE sassim_options Threads::Threads)
endfunction()

# The tests of a folder, one program: sassim_tests(isa LAYER unit MODULES isa). The folder is `isa` below the current one;
# without such a folder the current one. SUPPORT: files of tests/support; UNPACKED: the tests read what tests/CMakeLists.txt unpacks.
# ENVIRONMENT: a variable of theirs, NAME=VALUE.
function(sassim_tests name)
  cmake_parse_arguments(ARG "UNPACKED" "LAYER;TIMEOUT;ENVIRONMENT" "MODULES;LIBRARIES;SUPPORT" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(IS_DIRECTORY ${folder}/${name})
    set(folder ${folder}/${name})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  foreach(file IN LISTS ARG_SUPPORT)
    list(APPEND sources ${CMAKE_SOURCE_DIR}/tests/support/${file}.cpp)
  endforeach()
  set(target test_${ARG_LAYER}_${name})
  add_executable(${target} ${sources})
  sassim_unity(${target})
  if(ARG_UNPACKED)
    add_dependencies(${target} unpacked)
  endif()
  sassim_use(${target} ${ARG_MODULES})
  target_link_libraries(${target} PRIVATE GTest::gtest GTest::gmock GTest::gtest_main ${ARG_LIBRARIES})
  if(TARGET sassim_spent AND ARG_LAYER MATCHES "^(unit|stage)$")
    target_link_libraries(${target} PRIVATE sassim_spent)
  endif()
  # The code under test is what is optimised.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${target} PRIVATE SASSIM_SOURCE_DIR="${CMAKE_SOURCE_DIR}" SASSIM_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(SASSIM_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 5")
  endif()
  set_property(GLOBAL APPEND PROPERTY SASSIM_TESTS_${ARG_LAYER} ${target})    # for tests/e2e/budgets
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS ${ARG_LAYER} TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENVIRONMENT}")
  # In place of a program that is not built, CMake adds one test that fails. It gets the layer's label, so that
  # `ctest -L unit` fails too.
  set(missing ${CMAKE_CURRENT_BINARY_DIR}/${target}_missing.cmake)
  file(GENERATE OUTPUT ${missing} CONTENT
"if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
  set_tests_properties(${target}_NOT_BUILT PROPERTIES LABELS ${ARG_LAYER})
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${missing})
endfunction()

# Programs that were built without a sanitizer load what was built with it: CUDA programs the CUDA runtime, Python its extension.
# The sanitizer's runtime wants to be their first library. For a test program that uses tests/support/program.cpp:
function(sassim_preload_for_commands_of target)
  if(SASSIM_SANITIZE)
    list(JOIN SASSIM_PRELOADED " " variables)
    target_compile_definitions(${target} PRIVATE SASSIM_PRELOADED="export ${variables}")
  endif()
endfunction()

# The same for a test that is a script.
function(sassim_preload_for_test name)
  if(SASSIM_SANITIZE)
    get_test_property(${name} ENVIRONMENT environment)
    if(NOT environment)
      set(environment "")
    endif()
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${environment};${SASSIM_PRELOADED}")
  endif()
endfunction()

# A benchmark program: sassim_benchmark(sm SOURCES sm_benchmark.cpp MODULES arch)
function(sassim_benchmark name)
  if(NOT SASSIM_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;MODULES" ${ARGN})
  add_executable(bench_${name} ${ARG_SOURCES})
  sassim_use(bench_${name} ${ARG_MODULES})
  target_link_libraries(bench_${name} PRIVATE benchmark::benchmark benchmark::benchmark_main)
  target_compile_definitions(bench_${name} PRIVATE SASSIM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endfunction()
