# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.25)
# Writes OUT, which says which commit SOURCE is at, and whether files differ from it. The file is touched only when that has
# changed, so that a build without a change compiles nothing.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define SASSIM_COMMIT \"@commit@\"\n" @ONLY)
