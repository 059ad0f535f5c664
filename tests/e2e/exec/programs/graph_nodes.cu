// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that allocate and free memory and that record events and wait for them, and attributes of streams.
// Checks itself.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#include "check.h"

constexpr int kCount = 256;
constexpr size_t kBytes = kCount * sizeof(int);
__global__ void fill(int* data, int value) { data[threadIdx.x] = value + threadIdx.x; }
__global__ void twice(int* to, const int* from) { to[threadIdx.x] = 2 * from[threadIdx.x]; }

static cudaStream_t stream;
static int* result;

static unsigned long long memory(cudaGraphMemAttributeType which) {
  unsigned long long bytes = 0;
  OK(cudaDeviceGetGraphMemAttribute(0, which, &bytes));
  return bytes;
}
static int last_of_result() {
  int value = 0;
  OK(cudaMemcpy(&value, result + kCount - 1, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}
static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void* function, void** arguments) {
  cudaKernelNodeParams params{};
  params.func = function;
  params.gridDim = 1;
  params.blockDim = kCount;
  params.kernelParams = arguments;
  cudaGraphNode_t node;
  OK(cudaGraphAddKernelNode(&node, graph, &after, 1, &params));
  return node;
}
static cudaGraphNode_t add_allocation(cudaGraph_t graph, int** pointer) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = kBytes;
  cudaGraphNode_t node;
  OK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
  *pointer = static_cast<int*>(params.dptr);
  EXPECT(*pointer != nullptr);
  return node;
}

// Allocated, used and freed by one graph, as often as it is launched.
static void memory_of_a_graph() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaGraphCreate(&graph, 0));
  int* temporary;
  int value = 5;
  cudaGraphNode_t node = add_allocation(graph, &temporary);
  void* first[] = {&temporary, &value};
  node = add_kernel(graph, node, reinterpret_cast<void*>(fill), first);
  void* second[] = {&result, &temporary};
  node = add_kernel(graph, node, reinterpret_cast<void*>(twice), second);
  cudaGraphNode_t freed;
  OK(cudaGraphAddMemFreeNode(&freed, graph, &node, 1, temporary));
  void* address = nullptr;
  OK(cudaGraphMemFreeNodeGetParams(freed, &address));
  EXPECT(address == temporary);
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphDestroy(graph));
  EXPECT(memory(cudaGraphMemAttrUsedMemCurrent) == 0 && memory(cudaGraphMemAttrReservedMemCurrent) == 0);
  for (int i = 0; i < 3; ++i) {
    OK(cudaMemset(result, 0, kBytes));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(last_of_result() == 2 * (5 + kCount - 1));
  }
  EXPECT(memory(cudaGraphMemAttrUsedMemCurrent) == 0 && memory(cudaGraphMemAttrUsedMemHigh) == kBytes);
  EXPECT(memory(cudaGraphMemAttrReservedMemCurrent) == kBytes);
  OK(cudaDeviceGraphMemTrim(0));
  EXPECT(memory(cudaGraphMemAttrReservedMemCurrent) == 0);
  OK(cudaGraphExecDestroy(exec));
}

// Memory that outlives its graph: a second launch fails until it is freed, unless the graph frees it.
static void memory_that_stays() {
  cudaGraph_t graph;
  cudaGraphExec_t exec, frees;
  OK(cudaGraphCreate(&graph, 0));
  int* kept;
  add_allocation(graph, &kept);
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphInstantiateWithFlags(&frees, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  OK(cudaGraphLaunch(exec, stream));
  EXPECT(memory(cudaGraphMemAttrUsedMemCurrent) == kBytes);
  fill<<<1, kCount, 0, stream>>>(kept, 1);
  OK(cudaMemcpyAsync(result, kept, kBytes, cudaMemcpyDeviceToDevice, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(last_of_result() == kCount);
  EXPECT(cudaGraphLaunch(exec, stream) == cudaErrorInvalidValue);
  OK(cudaGraphLaunch(frees, stream));
  OK(cudaFreeAsync(kept, stream));
  EXPECT(cudaFreeAsync(kept, stream) == cudaErrorInvalidValue);
  EXPECT(memory(cudaGraphMemAttrUsedMemCurrent) == 0);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphExecDestroy(frees));
  OK(cudaGraphDestroy(graph));
}

static void captured_allocations() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int* temporary = nullptr;
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  OK(cudaMallocAsync(&temporary, kBytes, stream));
  fill<<<1, kCount, 0, stream>>>(temporary, 9);
  twice<<<1, kCount, 0, stream>>>(result, temporary);
  OK(cudaFreeAsync(temporary, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[8];
  size_t count = 8;
  OK(cudaGraphGetNodes(graph, nodes, &count));
  EXPECT(count == 4);
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(nodes[0], &type));
  EXPECT(type == cudaGraphNodeTypeMemAlloc);
  OK(cudaGraphNodeGetType(nodes[3], &type));
  EXPECT(type == cudaGraphNodeTypeMemFree);
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int i = 0; i < 2; ++i) OK(cudaGraphLaunch(exec, stream));
  OK(cudaStreamSynchronize(stream));
  EXPECT(last_of_result() == 2 * (9 + kCount - 1));
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

static void events() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaEvent_t before, after, other;
  for (cudaEvent_t* event : {&before, &after, &other}) OK(cudaEventCreate(event));
  OK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t first, wait, last;
  OK(cudaGraphAddEventRecordNode(&first, graph, nullptr, 0, other));
  OK(cudaGraphEventRecordNodeSetEvent(first, before));
  cudaEvent_t found;
  OK(cudaGraphEventRecordNodeGetEvent(first, &found));
  EXPECT(found == before);
  EXPECT(cudaGraphEventWaitNodeGetEvent(first, &found) == cudaErrorInvalidValue);
  OK(cudaGraphAddEventWaitNode(&wait, graph, &first, 1, other));
  int value = 3;
  void* arguments[] = {&result, &value};
  const cudaGraphNode_t kernel = add_kernel(graph, wait, reinterpret_cast<void*>(fill), arguments);
  OK(cudaGraphAddEventRecordNode(&last, graph, &kernel, 1, other));
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphExecEventRecordNodeSetEvent(exec, last, after));
  OK(cudaGraphLaunch(exec, stream));
  OK(cudaEventSynchronize(after));
  float milliseconds = -1;
  OK(cudaEventElapsedTime(&milliseconds, before, after));
  EXPECT(milliseconds > 0);
  EXPECT(last_of_result() == 3 + kCount - 1);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
}

static void attributes() {
  cudaStreamAttrValue value{}, back{};
  value.accessPolicyWindow.base_ptr = result;
  value.accessPolicyWindow.num_bytes = kBytes;
  value.accessPolicyWindow.hitRatio = 0.5f;
  OK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  OK(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &back));
  EXPECT(back.accessPolicyWindow.base_ptr == result && back.accessPolicyWindow.hitRatio == 0.5f);
  cudaStream_t other;
  OK(cudaStreamCreate(&other));
  OK(cudaStreamCopyAttributes(other, stream));
  std::memset(&back, 0, sizeof back);
  OK(cudaStreamGetAttribute(other, cudaStreamAttributeAccessPolicyWindow, &back));
  EXPECT(back.accessPolicyWindow.num_bytes == kBytes);
  EXPECT(cudaStreamGetAttribute(other, cudaLaunchAttributeCooperative, &back) == cudaErrorInvalidValue);
  OK(cudaCtxResetPersistingL2Cache());
  int* managed;
  OK(cudaMallocManaged(&managed, kBytes));
  OK(cudaStreamAttachMemAsync(other, managed, 0, cudaMemAttachSingle));
  EXPECT(cudaStreamAttachMemAsync(other, managed, 0, 7) == cudaErrorInvalidValue);
}

int main() {
  OK(cudaStreamCreate(&stream));
  OK(cudaMalloc(&result, kBytes));
  memory_of_a_graph();
  memory_that_stays();
  captured_allocations();
  events();
  attributes();
  if (failures == 0) std::printf("graph_nodes ok\n");
  return failures;
}
