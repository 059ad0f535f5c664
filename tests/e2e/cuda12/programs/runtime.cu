// SPDX-License-Identifier: Apache-2.0
// What CUDA 12's runtime has or means, and CUDA 11's has not: names, structs and calls that compiled code makes.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static int failures = 0;
#define CHECK(x)                                           \
  do {                                                     \
    if (!(x)) {                                            \
      std::printf("line %d: %s is false\n", __LINE__, #x); \
      ++failures;                                          \
    }                                                      \
  } while (0)
#define CU(x)                                                              \
  do {                                                                     \
    cudaError_t e = (x);                                                   \
    if (e != cudaSuccess) {                                                \
      std::printf("line %d: %s: %s\n", __LINE__, #x, cudaGetErrorName(e)); \
      ++failures;                                                          \
    }                                                                      \
  } while (0)

__global__ void add(int* to, short first, int second) { atomicAdd(to, first + second); }

__device__ int twice(int x) { return 2 * x; }
__device__ int thrice(int x) { return 3 * x; }
__device__ int (*const functions[])(int) = {twice, thrice};
__global__ void call(int* to, int which) {
  *to = functions[which](7);
  if (threadIdx.x == 0) printf("called %d\n", *to);
}

template <class T>
void poison(T& value) {
  std::memset(&value, 0xa5, sizeof value);
}

void properties() {
  int version = 0;
  CU(cudaRuntimeGetVersion(&version));
  CHECK(version == CUDART_VERSION);
  CU(cudaDriverGetVersion(&version));
  CHECK(version >= CUDART_VERSION);
  CU(cudaInitDevice(0, 0, 0));
  CHECK(cudaInitDevice(7, 0, 0) == cudaErrorInvalidDevice);
  cudaGetLastError();
  cudaDeviceProp found;
  poison(found);
  CU(cudaGetDeviceProperties(&found, 0));
  CHECK(found.warpSize == 32 && found.multiProcessorCount > 0 && found.hostRegisterSupported == 1);
  CHECK(found.reserved[0] == 0 && found.reserved[59] == 0);
  cudaFuncAttributes attributes;
  poison(attributes);
  CU(cudaFuncGetAttributes(&attributes, add));
  CHECK(attributes.numRegs > 0 && attributes.numRegs < 64 && attributes.clusterDimMustBeSet == 0 &&
        attributes.reserved[15] == 0);
}

void kernels(int* device) {
  cudaKernel_t kernel = nullptr;
  CU(cudaGetKernel(&kernel, reinterpret_cast<const void*>(add)));
  const char* name = nullptr;
  CU(cudaFuncGetName(&name, reinterpret_cast<const void*>(add)));
  CHECK(std::strcmp(name, "_Z3addPisi") == 0);
  std::size_t offset = 0, bytes = 0;
  CU(cudaFuncGetParamInfo(reinterpret_cast<const void*>(add), 1, &offset, &bytes));
  CHECK(offset == 8 && bytes == 2);
  CHECK(cudaFuncGetParamInfo(reinterpret_cast<const void*>(add), 3, &offset, &bytes) == cudaErrorInvalidValue);
  cudaGetLastError();
  short first = 1;
  int second = 10;
  void* arguments[] = {&device, &first, &second};
  CU(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, nullptr));
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(1);
  CU(cudaLaunchKernelEx(&config, add, device, short{0}, 100));
  int sum = 0;
  CU(cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(sum == 211);
  call<<<1, 1>>>(device, 1);
  CU(cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(sum == 21);
}

cudaGraph_t sum_graph(int* device, int second) {
  cudaGraph_t graph = nullptr;
  CU(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t clear = nullptr, sum = nullptr;
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemset;
  params.memset.dst = device;
  params.memset.elementSize = 4;
  params.memset.width = params.memset.height = 1;
  CU(cudaGraphAddNode(&clear, graph, nullptr, 0, &params));
  short first = 5;
  void* arguments[] = {&device, &first, &second};
  params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void*>(add);
  params.kernel.gridDim = params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = arguments;
  CU(cudaGraphAddNode_v2(&sum, graph, &clear, nullptr, 1, &params));
  return graph;
}

void graphs(int* device) {
  cudaGraph_t graph = sum_graph(device, 1000), other = sum_graph(device, 2000);
  cudaGraphNode_t from = nullptr, to = nullptr;
  cudaGraphEdgeData edge;
  poison(edge);
  std::size_t edges = 1;
  CU(cudaGraphGetEdges_v2(graph, &from, &to, &edge, &edges));
  CHECK(edges == 1 && from != to && edge.type == 0 && edge.to_port == 0);
  cudaGraphExec_t exec = nullptr;
  CU(cudaGraphInstantiate(&exec, graph, 0));
  CU(cudaGraphLaunch(exec, nullptr));
  int sum = 0;
  CU(cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(sum == 1005);
  cudaGraphExecUpdateResultInfo info;
  poison(info);
  CU(cudaGraphExecUpdate(exec, other, &info));
  CHECK(info.result == cudaGraphExecUpdateSuccess && info.errorNode == nullptr && info.errorFromNode == nullptr);
  CU(cudaGraphLaunch(exec, nullptr));
  CU(cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(sum == 2005);
  cudaGraphInstantiateParams how{};
  cudaGraphExec_t again = nullptr;
  CU(cudaGraphInstantiateWithParams(&again, graph, &how));
  CHECK(again != nullptr && how.result_out == cudaGraphInstantiateSuccess);
  CU(cudaGraphExecDestroy(again));
  CU(cudaGraphExecDestroy(exec));
}

__global__ void count_down(cudaGraphConditionalHandle again, int* count) {
  if (--*count == 0) cudaGraphSetConditional(again, 0);
}

/// The graph of a new conditional node behind `after`.
cudaGraph_t conditional(cudaGraph_t graph, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                        cudaGraphNode_t after, cudaGraphNode_t* node) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = 1;
  CU(cudaGraphAddNode(node, graph, &after, after ? 1 : 0, &params));
  return params.conditional.phGraph_out[0];
}

/// A loop that counts down and, behind it, a node that only runs if its condition is set.
void conditions(int* device) {
  cudaGraph_t graph = nullptr;
  CU(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle again = 0, never = 0;
  CU(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
  CU(cudaGraphConditionalHandleCreate(&never, graph, 0, cudaGraphCondAssignDefault));
  cudaGraphNode_t loop = nullptr, choice = nullptr;
  cudaGraph_t body = conditional(graph, again, cudaGraphCondTypeWhile, nullptr, &loop);
  cudaGraph_t rest = conditional(graph, never, cudaGraphCondTypeIf, loop, &choice), captured = nullptr;
  cudaStream_t stream = nullptr;
  CU(cudaStreamCreate(&stream));
  CU(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(device + 1, 1, 1);
  count_down<<<1, 1, 0, stream>>>(again, device);
  CU(cudaStreamEndCapture(stream, &captured));
  CHECK(captured == body);
  CU(cudaStreamBeginCaptureToGraph(stream, rest, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(device + 1, 100, 100);
  CU(cudaStreamEndCapture(stream, &captured));
  cudaGraphExec_t exec = nullptr;
  CU(cudaGraphInstantiate(&exec, graph, 0));
  for (const int times : {5, 3}) {
    int values[2] = {times, 0};
    CU(cudaMemcpy(device, values, sizeof values, cudaMemcpyHostToDevice));
    CU(cudaGraphLaunch(exec, stream));
    CU(cudaStreamSynchronize(stream));
    CU(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    CHECK(values[0] == 0 && values[1] == 2 * times);
  }
  CU(cudaGraphExecDestroy(exec));
  cudaGraphNodeParams several{};
  several.type = cudaGraphNodeTypeConditional;
  several.conditional.handle = again;
  several.conditional.size = 2;
  CHECK(cudaGraphAddNode(&choice, graph, nullptr, 0, &several) == cudaErrorNotSupported);
  cudaGetLastError();
}

void events_and_memory_in_graphs() {
  cudaGraph_t graph = nullptr;
  CU(cudaGraphCreate(&graph, 0));
  cudaEvent_t event = nullptr;
  CU(cudaEventCreate(&event));
  cudaGraphNode_t allocation = nullptr, record = nullptr, release = nullptr;
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemAlloc;
  params.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  params.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
  params.alloc.bytesize = 64;
  CU(cudaGraphAddNode(&allocation, graph, nullptr, 0, &params));
  void* const memory = params.alloc.dptr;
  CHECK(memory != nullptr);
  params = {};
  params.type = cudaGraphNodeTypeEventRecord;
  params.eventRecord.event = event;
  CU(cudaGraphAddNode(&record, graph, &allocation, 1, &params));
  params = {};
  params.type = cudaGraphNodeTypeMemFree;
  params.free.dptr = memory;
  CU(cudaGraphAddNode(&release, graph, &record, 1, &params));
  cudaGraphExec_t exec = nullptr;
  CU(cudaGraphInstantiate(&exec, graph, 0));
  CU(cudaGraphLaunch(exec, nullptr));
  CU(cudaEventSynchronize(event));
  CU(cudaGraphExecDestroy(exec));
}

void streams(int* device) {
  cudaStream_t one = nullptr, two = nullptr;
  CU(cudaStreamCreate(&one));
  CU(cudaStreamCreate(&two));
  unsigned long long first = 0, second = 0;
  CU(cudaStreamGetId(one, &first));
  CU(cudaStreamGetId(two, &second));
  CHECK(first != second);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
  CU(cudaStreamGetCaptureInfo(one, &status));
  CHECK(status == cudaStreamCaptureStatusNone);
  CU(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, one>>>(device, 1, 1);
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  std::size_t count = 0;
  CU(cudaStreamGetCaptureInfo(one, &status, &first, &graph, &nodes, &count));
  CHECK(status == cudaStreamCaptureStatusActive && graph != nullptr && count == 1 && nodes != nullptr);
  CU(cudaStreamEndCapture(one, &graph));
  CU(cudaMemPrefetchAsync_v2(device, 4, {cudaMemLocationTypeDevice, 0}, 0, one));
  CU(cudaStreamSynchronize(one));
}

int main() {
  int* device = nullptr;
  CU(cudaMalloc(&device, 2 * sizeof(int)));
  CU(cudaMemset(device, 0, 4));
  properties();
  kernels(device);
  graphs(device);
  conditions(device);
  events_and_memory_in_graphs();
  streams(device);
  CU(cudaDeviceSynchronize());
  std::printf("%s\n", failures == 0 ? "PASS" : "FAIL");
  return failures != 0;
}
