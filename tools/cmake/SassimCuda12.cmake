# SPDX-License-Identifier: Apache-2.0
# CUDA 12.4 as tools/unpack_cuda12 unpacks it. Sets SASSIM_CUDA12_MISSING: why it is not used; empty if it is.
set(SASSIM_CUDA12_MISSING "")
set(SASSIM_CUDA12_FOLDER ${CMAKE_SOURCE_DIR}/build/cuda-12.4)
if(DEFINED ENV{SASSIM_CUDA12})
  set(SASSIM_CUDA12_FOLDER $ENV{SASSIM_CUDA12})
endif()
find_program(SASSIM_CUDA12_HOST_COMPILER g++-12)
if(NOT EXISTS ${SASSIM_CUDA12_FOLDER}/bin/nvcc)
  set(SASSIM_CUDA12_MISSING "there is no ${SASSIM_CUDA12_FOLDER}/bin/nvcc: tools/bootstrap --with-cuda12 unpacks CUDA 12.4")
elseif(NOT SASSIM_CUDA12_HOST_COMPILER)
  set(SASSIM_CUDA12_MISSING "there is no g++-12: tools/bootstrap --with-cuda12 installs it")
endif()

# A rule that makes OUTPUT with nvcc 12.4: sassim_nvcc12(OUTPUT file SOURCE file.cu DEPENDS headers OPTIONS -arch=sm_90 -cubin)
function(sassim_nvcc12)
  cmake_parse_arguments(ARG "" "OUTPUT;SOURCE" "DEPENDS;OPTIONS" ${ARGN})
  get_filename_component(folder ${ARG_OUTPUT} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  get_filename_component(name ${ARG_OUTPUT} NAME)
  add_custom_command(
    OUTPUT ${ARG_OUTPUT}
    COMMAND ${SASSIM_CUDA12_FOLDER}/bin/nvcc -std=c++17 -Xptxas -suppress-stack-size-warning ${ARG_OPTIONS} -o ${ARG_OUTPUT} ${ARG_SOURCE}
    DEPENDS ${ARG_SOURCE} ${ARG_DEPENDS}
    COMMENT "nvcc 12.4 ${name}"
    VERBATIM)
endfunction()

# In place of tests that need CUDA 12.4 where it is not: one that says so and counts as skipped.
function(sassim_skip_without_cuda12 name layer)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${SASSIM_CUDA12_MISSING}")
  set_tests_properties(${name} PROPERTIES LABELS ${layer} SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()
