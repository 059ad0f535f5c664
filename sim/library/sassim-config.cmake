# SPDX-License-Identifier: Apache-2.0
# find_package(sassim): sassim::sassim is the library; sassim::systemc the library for a SystemC platform, which finds
# SystemC with pkg-config.
include(${CMAKE_CURRENT_LIST_DIR}/sassim-targets.cmake)
if(NOT TARGET sassim::systemc)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(sassim_SYSTEMC QUIET IMPORTED_TARGET systemc)
  endif()
  if(TARGET PkgConfig::sassim_SYSTEMC)
    add_library(sassim::systemc INTERFACE IMPORTED)
    target_link_libraries(sassim::systemc INTERFACE sassim::sassim PkgConfig::sassim_SYSTEMC)
    # Debian builds SystemC as C++17, and it checks that its users say so.
    target_compile_definitions(sassim::systemc INTERFACE SC_CPLUSPLUS=201703L)
  endif()
endif()
