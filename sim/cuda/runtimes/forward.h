// SPDX-License-Identifier: Apache-2.0
// Macros that make a function of libcudart.so.12 or .13 a jump to a function of another library, which leaves arguments
// and results alone.
#pragma once

#define SASSIM_FORWARD(name, target)       \
  asm(".pushsection .text\n"               \
      ".globl " #name                      \
      "\n"                                 \
      ".type " #name ", @function\n" #name \
      ": endbr64\n"                        \
      "jmp " #target                       \
      "@PLT\n"                             \
      ".size " #name ", . - " #name        \
      "\n"                                 \
      ".popsection")

/// The function is one of CUDA 11.
#define SASSIM_FORWARD_TO_11(name, in_11)                       \
  asm(".symver of_11_" #name ", " #in_11 "@libcudart.so.11.0"); \
  SASSIM_FORWARD(name, of_11_##name)
