// SPDX-License-Identifier: Apache-2.0
// CUDA graphs: captured from streams and built by calls; launched, updated, cloned; and what a capture forbids.
// Checks itself.
#include <cuda_runtime.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "check.h"

constexpr int kCount = 256;
__global__ void add(int* data, int value) { data[threadIdx.x] += value; }
__global__ void times(int* data, int factor) { data[threadIdx.x] *= factor; }
static void note(void* counter) { ++*static_cast<int*>(counter); }

static int *a, *b;
static std::vector<int> host(kCount), back(kCount);

static int first_of(int* device) {
  int value = -1;
  OK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

// a: 0, +1, *3; b on a second stream: a copy of a after +1, *10; joined: a += 5.
static void captured() {
  cudaStream_t s, t;
  cudaEvent_t fork, join;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreate(&t));
  OK(cudaEventCreate(&fork));
  OK(cudaEventCreate(&join));
  int notes = 0;
  OK(cudaMemset(a, 7, kCount * sizeof(int)));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaMemsetAsync(a, 0, kCount * sizeof(int), s));
  add<<<1, kCount, 0, s>>>(a, 1);
  OK(cudaGetLastError());
  OK(cudaEventRecord(fork, s));
  OK(cudaStreamWaitEvent(t, fork, 0));
  OK(cudaMemcpyAsync(b, a, kCount * sizeof(int), cudaMemcpyDeviceToDevice, t));
  times<<<1, kCount, 0, t>>>(b, 10);
  times<<<1, kCount, 0, s>>>(a, 3);
  OK(cudaEventRecord(join, t));
  OK(cudaStreamWaitEvent(s, join, 0));
  add<<<1, kCount, 0, s>>>(a, 5);
  OK(cudaLaunchHostFunc(s, note, &notes));
  cudaStreamCaptureStatus status;
  OK(cudaStreamIsCapturing(t, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  OK(cudaStreamEndCapture(s, &graph));
  OK(cudaStreamIsCapturing(t, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  EXPECT(first_of(a) == 0x07070707);  // nothing has run
  EXPECT(notes == 0);

  std::size_t nodes = 0, edges = 0, roots = 0;
  OK(cudaGraphGetNodes(graph, nullptr, &nodes));
  OK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  OK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  EXPECT(nodes == 7 && edges == 7 && roots == 1);
  cudaGraphExec_t exec;
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphDestroy(graph));  // what was made of it stays
  for (int round = 0; round < 3; ++round) OK(cudaGraphLaunch(exec, s));
  OK(cudaStreamSynchronize(s));
  EXPECT(first_of(a) == 8 && first_of(b) == 10 && notes == 3);

  // Captured again with other values, and taken over by the graph that is there already.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  add<<<1, kCount, 0, s>>>(a, 100);
  OK(cudaStreamEndCapture(s, &graph));
  cudaGraphNode_t culprit;
  cudaGraphExecUpdateResult result;
  EXPECT(cudaGraphExecUpdate(exec, graph, &culprit, &result) == cudaErrorGraphExecUpdateFailure);
  EXPECT(result != cudaGraphExecUpdateSuccess);
  cudaGetLastError();
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  add<<<1, kCount, 0, s>>>(a, 1000);
  OK(cudaStreamEndCapture(s, &graph));
  OK(cudaGraphExecUpdate(exec, graph, &culprit, &result));
  OK(cudaGraphLaunch(exec, s));
  EXPECT(first_of(a) == 1008);
  OK(cudaGraphExecDestroy(exec));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamDestroy(s));
  OK(cudaStreamDestroy(t));
}

static void forbidden() {
  cudaStream_t s, t;
  cudaGraph_t graph;
  cudaEvent_t event;
  OK(cudaStreamCreate(&s));
  OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  OK(cudaEventCreate(&event));
  EXPECT(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorIllegalState);
  // Waiting for it.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaStreamSynchronize(s) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  EXPECT(graph == nullptr);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaStreamSynchronize(t) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  // An event that has no time.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(event, s));
  EXPECT(cudaEventSynchronize(event) == cudaErrorCapturedEvent);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  // Allocation, unless the program says that it knows what it does.
  void* more;
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaMalloc(&more, 64) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  OK(cudaMalloc(&more, 64));
  OK(cudaStreamEndCapture(s, &graph));
  OK(cudaGraphDestroy(graph));
  // Or says so of the thread; a thread that is only responsible for its own captures ignores those of others.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal);
  OK(cudaMalloc(&more, 64));
  OK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeRelaxed);
  std::thread([&more] {
    cudaStreamCaptureMode own = cudaStreamCaptureModeThreadLocal;
    OK(cudaThreadExchangeStreamCaptureMode(&own));
    OK(cudaMalloc(&more, 64));
  }).join();
  OK(cudaStreamEndCapture(s, &graph));
  OK(cudaGraphDestroy(graph));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  std::thread([&more] { EXPECT(cudaMalloc(&more, 64) == cudaErrorStreamCaptureUnsupported); }).join();
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  mode = static_cast<cudaStreamCaptureMode>(3);
  EXPECT(cudaThreadExchangeStreamCaptureMode(&mode) == cudaErrorInvalidValue);
  // The legacy stream would wait for it.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  add<<<1, 1>>>(a, 1);
  EXPECT(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  // A stream that joined the capture and was not joined back.
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  OK(cudaEventRecord(event, s));
  OK(cudaStreamWaitEvent(t, event, 0));
  add<<<1, 1, 0, t>>>(a, 1);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureUnjoined);
  // Work from outside.
  OK(cudaEventRecord(event, t));
  OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  EXPECT(cudaStreamWaitEvent(s, event, 0) == cudaErrorStreamCaptureIsolation);
  EXPECT(cudaStreamEndCapture(s, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  OK(cudaStreamDestroy(s));
  OK(cudaStreamDestroy(t));
}

static void built() {
  cudaGraph_t graph, clone, child;
  cudaGraphNode_t clear, in, work, out, call, inner, nested;
  for (int i = 0; i < kCount; ++i) host[i] = i;
  int notes = 0, value = 4, factor = 2;
  OK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams fill{};
  fill.dst = b;
  fill.elementSize = 4;
  fill.value = 0x01020304;
  fill.width = kCount;
  fill.height = 1;
  OK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
  cudaMemcpy3DParms copy{};
  copy.srcPtr = make_cudaPitchedPtr(host.data(), kCount * sizeof(int), kCount, 1);
  copy.dstPtr = make_cudaPitchedPtr(a, kCount * sizeof(int), kCount, 1);
  copy.extent = make_cudaExtent(kCount * sizeof(int), 1, 1);
  copy.kind = cudaMemcpyHostToDevice;
  OK(cudaGraphAddMemcpyNode(&in, graph, nullptr, 0, &copy));
  // The copy back is added before what it must come after.
  OK(cudaGraphAddMemcpyNode1D(&out, graph, nullptr, 0, back.data(), a, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  void* arguments[] = {&a, &value};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(kCount);
  kernel.kernelParams = arguments;
  OK(cudaGraphAddKernelNode(&work, graph, &in, 1, &kernel));
  value = 1000;  // the node has its own copy
  OK(cudaGraphCreate(&child, 0));
  void* more[] = {&a, &factor};
  kernel.func = reinterpret_cast<void*>(times);
  kernel.kernelParams = more;
  OK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &kernel));
  OK(cudaGraphAddChildGraphNode(&nested, graph, &work, 1, child));
  OK(cudaGraphAddDependencies(graph, &nested, &out, 1));
  cudaHostNodeParams function{note, &notes};
  OK(cudaGraphAddHostNode(&call, graph, &out, 1, &function));
  cudaGraphNodeType type;
  OK(cudaGraphNodeGetType(call, &type));
  EXPECT(type == cudaGraphNodeTypeHost);

  cudaGraphExec_t exec, copied;
  OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(back[0] == 8 && back[100] == 208 && notes == 1 && first_of(b) == 0x01020304);

  OK(cudaGraphKernelNodeGetParams(work, &kernel));
  EXPECT(kernel.func == reinterpret_cast<void*>(add) && *static_cast<int*>(kernel.kernelParams[1]) == 4);
  kernel.kernelParams = arguments;
  OK(cudaGraphExecKernelNodeSetParams(exec, work, &kernel));
  OK(cudaGraphLaunch(exec, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(back[0] == 2000 && notes == 2);

  OK(cudaGraphClone(&clone, graph));  // of the graph, which still adds 4
  cudaGraphNode_t twin;
  OK(cudaGraphNodeFindInClone(&twin, work, clone));
  OK(cudaGraphInstantiate(&copied, clone, nullptr, nullptr, 0));
  OK(cudaGraphLaunch(copied, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(back[0] == 8 && notes == 3);
  OK(cudaGraphNodeSetEnabled(copied, twin, 0));
  OK(cudaGraphLaunch(copied, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(back[0] == 0 && back[1] == 2 && notes == 4);

  OK(cudaGraphAddDependencies(graph, &call, &in, 1));  // a cycle
  EXPECT(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0) == cudaErrorInvalidValue);
  EXPECT(cudaGraphDestroy(reinterpret_cast<cudaGraph_t>(&failures)) == cudaErrorInvalidValue);
  cudaGetLastError();
}

int main() {
  OK(cudaMalloc(&a, kCount * sizeof(int)));
  OK(cudaMalloc(&b, kCount * sizeof(int)));
  captured();
  forbidden();
  built();
  OK(cudaDeviceSynchronize());
  std::printf("graphs %s\n", failures ? "FAILED" : "ok");
  return failures ? 1 : 0;
}
