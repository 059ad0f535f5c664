// SPDX-License-Identifier: Apache-2.0
// What a program links with link_base.cu.
extern __device__ int base;
__device__ int helper(int);
extern "C" __global__ void linked(int* to, int x) { *to = helper(x) + base; }
