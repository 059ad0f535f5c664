# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs, and Debian packages of it: `cpack -G DEB -B build/packages --config build/release/CPackConfig.cmake`.
#
# PREFIX/share/sassim is arranged as the source tree, so that the commands of README.md and docs/ work in that folder.
# The command finds the rest from where it lies (sim/base/data_folder.h).
set(data share/sassim)
install(TARGETS sassim RUNTIME DESTINATION bin)
install(TARGETS cudart LIBRARY DESTINATION lib/sassim NAMELINK_SKIP)
install(FILES ${CMAKE_BINARY_DIR}/lib/libcuda.so.1 DESTINATION lib/sassim)  # a link to it
if(TARGET cudart12)
  install(TARGETS cudart12 cudart13 LIBRARY DESTINATION lib/sassim)
endif()

# Manual pages and completions, made from the command line by the command itself.
set(made ${CMAKE_BINARY_DIR}/made)
add_custom_command(OUTPUT ${made}/man1/sassim.1 DEPENDS sassim
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}/bash ${made}/zsh ${made}/fish
  COMMAND sassim completions bash > ${made}/bash/sassim
  COMMAND sassim completions zsh > ${made}/zsh/_sassim
  COMMAND sassim completions fish > ${made}/fish/sassim.fish
  COMMAND sassim man ${made}/man1
  COMMENT "manual pages and completions" VERBATIM)
add_custom_target(manual ALL DEPENDS ${made}/man1/sassim.1)
add_dependencies(product manual)
install(DIRECTORY ${made}/man1 DESTINATION share/man)
install(FILES ${made}/bash/sassim DESTINATION share/bash-completion/completions)
install(FILES ${made}/zsh/_sassim DESTINATION share/zsh/vendor-completions)
install(FILES ${made}/fish/sassim.fish DESTINATION share/fish/vendor_completions.d)

install(DIRECTORY configs ${CMAKE_BINARY_DIR}/traces DESTINATION ${data})
install(DIRECTORY tests/data/planted DESTINATION ${data}/tests/data PATTERN more.tar.xz EXCLUDE)
install(DIRECTORY validation/published DESTINATION ${data}/validation)
install(DIRECTORY validation/programs/sass validation/programs/prepared DESTINATION ${data}/validation/programs)
install(DIRECTORY validation/programs/applications/development DESTINATION ${data}/validation/programs/applications)
install(FILES validation/programs/applications/app.h DESTINATION ${data}/validation/programs/applications)
install(FILES validation/known-gaps.yaml validation/subsets.yaml validation/README.md DESTINATION ${data}/validation)
install(DIRECTORY validation/results DESTINATION ${data}/validation FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "summaries.json")
install(DIRECTORY validation/measured DESTINATION ${data}/validation
        FILES_MATCHING PATTERN "*.json" PATTERN "*.json.xz" PATTERN "*.md" PATTERN profiles EXCLUDE)
install(DIRECTORY docs DESTINATION ${data})
install(DIRECTORY python/examples DESTINATION ${data}/python PATTERN __pycache__ EXCLUDE)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION ${data})
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/sassim)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sassim)
set(CPACK_PACKAGE_CONTACT "The sassim developers <sassim@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL sassim dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(CPACK_DEBIAN_SASSIM_PACKAGE_NAME sassim)
set(CPACK_COMPONENT_SASSIM_DESCRIPTION "The command, the CUDA runtime that programs run on, the library, the
Python package, configurations of GPUs, traces, and the data that simulations are compared with.
Simulating needs neither a GPU nor CUDA.")
set(CPACK_DEBIAN_SASSIM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/lib)
# cairo is loaded when a plot is drawn, with a font; prepared programs are unpacked with tar and xz
set(CPACK_DEBIAN_SASSIM_PACKAGE_DEPENDS "libcairo2, fonts-dejavu-core, xz-utils")
if(TARGET sassim_python)
  # Its modules are for one version of Python.
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  math(EXPR next "${Python3_VERSION_MINOR} + 1")
  set(python "3.${Python3_VERSION_MINOR}")
  set(CPACK_DEBIAN_SASSIM_PACKAGE_RECOMMENDS "python3 (>= ${python}), python3 (<< 3.${next}), python3-pandas, python3-matplotlib")
endif()
set(CPACK_DEBIAN_SASSIM_PACKAGE_SUGGESTS "nvidia-cuda-toolkit")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libsassim-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers and the CMake package of libsassim, for programs that load
configurations and traces, run them and read metrics, and for SystemC platforms with a GPU in them.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "sassim (= ${PROJECT_VERSION}), libsystemc-dev")
include(CPack)
