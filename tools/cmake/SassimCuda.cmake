# SPDX-License-Identifier: Apache-2.0
# Debian's CUDA 11.8, whatever other toolkit is on the PATH: the last that compiles sm_70.
# Sets SASSIM_CUDA_FOUND; where it is false SASSIM_CUDA_MISSING says why.
set(SASSIM_CUDA_ARCHITECTURES 70 75 80 86 90)
set(SASSIM_CUDA_FOUND FALSE)
set(SASSIM_NVCC /usr/bin/nvcc)
find_program(SASSIM_CUDA_HOST_COMPILER g++-11)
if(NOT EXISTS ${SASSIM_NVCC})
  set(SASSIM_CUDA_MISSING "there is no /usr/bin/nvcc: tools/bootstrap --with-cuda installs CUDA 11.8")
else()
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=/usr/bin:/bin ${SASSIM_NVCC} --version
                  OUTPUT_VARIABLE version ERROR_QUIET)
  if(NOT version MATCHES "release 11\\.8")
    set(SASSIM_CUDA_MISSING "/usr/bin/nvcc is not CUDA 11.8: tools/bootstrap --with-cuda installs it")
  elseif(NOT SASSIM_CUDA_HOST_COMPILER)
    set(SASSIM_CUDA_MISSING "there is no g++-11, the newest that nvcc 11.8 accepts: tools/bootstrap --with-cuda installs it")
  else()
    set(SASSIM_CUDA_FOUND TRUE)
  endif()
endif()

# A rule that makes OUTPUT with nvcc: sassim_nvcc(OUTPUT file SOURCE file.cu DEPENDS headers OPTIONS -arch=sm_70 -cubin)
function(sassim_nvcc)
  cmake_parse_arguments(ARG "" "OUTPUT;SOURCE" "DEPENDS;OPTIONS" ${ARGN})
  get_filename_component(folder ${ARG_OUTPUT} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  get_filename_component(name ${ARG_OUTPUT} NAME)
  add_custom_command(
    OUTPUT ${ARG_OUTPUT}
    COMMAND ${CMAKE_COMMAND} -E env PATH=/usr/bin:/bin ${SASSIM_NVCC} -ccbin ${SASSIM_CUDA_HOST_COMPILER} -std=c++17
            -Xptxas -suppress-stack-size-warning ${ARG_OPTIONS} -o ${ARG_OUTPUT} ${ARG_SOURCE}
    DEPENDS ${ARG_SOURCE} ${ARG_DEPENDS}
    COMMENT "nvcc ${name}"
    VERBATIM)
endfunction()
