// SPDX-License-Identifier: Apache-2.0
// What link_use.cu needs.
__device__ int base = 40;
__device__ int helper(int x) { return 3 * x; }
extern "C" __global__ void alone(int* to, int x) { *to = helper(x) - base; }
