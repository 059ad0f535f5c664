# SPDX-License-Identifier: Apache-2.0
# The runtime of a later CUDA, libcudart.so.VERSION. Each of its names is a jump into the library that has the state of
# the process, libcudart.so.11.0: to SASSIM_VERSION(name), else to the function of the version before it, down to the
# function of CUDA 11 with this name.

# The functions that have the name SASSIM_VERSION(name) in the sources.
function(sassim_own_functions version result)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sim/cuda/api_${version}_*.cpp ${CMAKE_SOURCE_DIR}/sim/driver/api_${version}_*.cpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
  set(own "")
  foreach(file IN LISTS sources)
    file(STRINGS ${file} lines REGEX "SASSIM_CUDA .*SASSIM_${version}\\(|^SASSIM_${version}_(PTSZ|LACKS)")
    foreach(line IN LISTS lines)
      string(REGEX MATCH "SASSIM_${version}(_PTSZ|_LACKS)?\\(([A-Za-z0-9_]+)\\)" found "${line}")
      list(APPEND own ${CMAKE_MATCH_2})
      if(CMAKE_MATCH_1 STREQUAL "_PTSZ")
        list(APPEND own ${CMAKE_MATCH_2}_ptsz)
      endif()
    endforeach()
  endforeach()
  set(${result} ${own} PARENT_SCOPE)
endfunction()

function(sassim_runtime_front version)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
    message(STATUS "libcudart.so.${version} is not built: its jumps are x86-64 code")
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS names)
  file(STRINGS names lines)
  sassim_own_functions(12 own_12)
  set(own_13 "")
  if(NOT version EQUAL 12)
    sassim_own_functions(${version} own_${version})
  endif()
  set(text "#include \"sim/cuda/runtime12/forward.h\"\n")
  foreach(line IN LISTS lines)
    string(REPLACE " " ";" words ${line})
    list(GET words 0 name)
    list(GET words -1 before)  # its name in CUDA 12
    if(name IN_LIST own_${version})
      string(APPEND text "SASSIM_FORWARD(${name}, sassim${version}_${name});\n")
    elseif(before IN_LIST own_12)
      string(APPEND text "SASSIM_FORWARD(${name}, sassim12_${before});\n")
    else()
      string(APPEND text "SASSIM_FORWARD_TO_11(${name}, ${before});\n")
    endif()
  endforeach()
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/forward.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT "${text}" @ONLY)

  set(target cudart${version})
  add_library(${target} SHARED ${generated})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE cudart)
  # Its name has the version in it from the start: the link libcudart.so belongs to the other library.
  set_target_properties(${target} PROPERTIES OUTPUT_NAME cudart SUFFIX .so.${version} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    BUILD_RPATH $ORIGIN INSTALL_RPATH $ORIGIN LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/exports.map)
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/exports.map -Wl,--no-undefined
    -fuse-ld=bfd)  # mold 1.10 does not find a name with a version that the library defines with another one
endfunction()
