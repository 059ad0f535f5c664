# SPDX-License-Identifier: Apache-2.0
# The headers and the runtime of CUDA 13.0, which tests compare with sassim's. Sets SASSIM_CUDA13_MISSING: why they are
# not used; empty if they are.
set(SASSIM_CUDA13_FOLDER /usr/local/cuda-13.0)
if(DEFINED ENV{SASSIM_CUDA13})
  set(SASSIM_CUDA13_FOLDER $ENV{SASSIM_CUDA13})
endif()
set(SASSIM_CUDA13_MISSING "")
set(SASSIM_CUDA13_INCLUDE ${SASSIM_CUDA13_FOLDER}/targets/x86_64-linux/include)
set(SASSIM_CUDA13_CUDART ${SASSIM_CUDA13_FOLDER}/targets/x86_64-linux/lib/libcudart.so.13)
if(NOT EXISTS ${SASSIM_CUDA13_INCLUDE}/cuda_runtime_api.h OR NOT EXISTS ${SASSIM_CUDA13_CUDART})
  set(SASSIM_CUDA13_MISSING "CUDA 13.0 is not in ${SASSIM_CUDA13_FOLDER}; SASSIM_CUDA13 names another folder")
else()
  file(STRINGS ${SASSIM_CUDA13_INCLUDE}/cuda_runtime_api.h version REGEX "#define CUDART_VERSION +13000")
  if(NOT version)
    set(SASSIM_CUDA13_MISSING "${SASSIM_CUDA13_FOLDER} has another CUDA than 13.0")
  endif()
endif()
