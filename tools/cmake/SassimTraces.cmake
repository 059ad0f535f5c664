# SPDX-License-Identifier: Apache-2.0
# Traces that pages name are files of their own; the others of the same set are in its more.tar.xz, a quarter as
# large as they are. All of them together are in the same folder of the build.

function(sassim_traces folder)
  set(from ${CMAKE_SOURCE_DIR}/${folder})
  set(to ${CMAKE_BINARY_DIR}/${folder})
  file(GLOB_RECURSE single CONFIGURE_DEPENDS ${from}/*.sast)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from}/more.tar.xz ${single})
  file(REMOVE_RECURSE ${to})
  file(ARCHIVE_EXTRACT INPUT ${from}/more.tar.xz DESTINATION ${to})
  file(COPY ${from}/ DESTINATION ${to} FILES_MATCHING PATTERN "*.sast")
endfunction()
