// SPDX-License-Identifier: Apache-2.0
// Graphs and captures of the driver's interface, and launches by cuLaunchKernelEx.
#include <cstring>
#include <vector>

#include "driver_check.h"

namespace {

constexpr int kCount = 256;
CUfunction scale;
CUdeviceptr from, to;
int count = kCount;
void* arguments[] = {&from, &to, &count};

void expect_result(float factor) {
  std::vector<float> out(kCount);
  DO(cuMemcpyDtoH(out.data(), to, kCount * sizeof(float)));
  for (int i = 0; i < kCount; ++i) EXPECT(out[i] == 2 * factor * i + 5);
  DO(cuMemsetD8(to, 0, kCount * sizeof(float)));
}

CUDA_MEMCPY3D copy_of(const std::vector<float>& in) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = in.data();
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = from;
  copy.WidthInBytes = in.size() * sizeof(float);
  copy.Height = copy.Depth = 1;
  return copy;
}

CUDA_KERNEL_NODE_PARAMS kernel_of(CUfunction function) {
  CUDA_KERNEL_NODE_PARAMS kernel{};
  kernel.func = function;
  kernel.gridDimX = 2;
  kernel.blockDimX = 128;
  kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
  kernel.kernelParams = arguments;
  return kernel;
}

void built() {
  std::vector<float> in(kCount), twice(kCount);
  for (int i = 0; i < kCount; ++i) in[i] = i, twice[i] = 2 * i;
  CUcontext context;
  DO(cuCtxGetCurrent(&context));
  CUgraph graph;
  CUgraphNode copied, ran, freed;
  DO(cuGraphCreate(&graph, 0));
  CUDA_MEMCPY3D copy = copy_of(in);
  DO(cuGraphAddMemcpyNode(&copied, graph, nullptr, 0, &copy, context));
  const CUDA_KERNEL_NODE_PARAMS kernel = kernel_of(scale);
  DO(cuGraphAddKernelNode(&ran, graph, &copied, 1, &kernel));
  DO(cuGraphAddEmptyNode(&freed, graph, &ran, 1));
  size_t nodes = 0;
  DO(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 3);
  DO(cuGraphDestroyNode(freed));
  DO(cuGraphGetNodes(graph, nullptr, &nodes));
  EXPECT(nodes == 2);
  CUgraphNodeType type;
  DO(cuGraphNodeGetType(ran, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_KERNEL);
  CUgraphNode later;
  size_t dependents = 1;
  DO(cuGraphNodeGetDependentNodes(copied, &later, &dependents));
  EXPECT(dependents == 1 && later == ran);
  CUDA_KERNEL_NODE_PARAMS read{};
  DO(cuGraphKernelNodeGetParams(ran, &read));
  EXPECT(read.func == scale && read.blockDimX == 128);
  CUgraphExec exec;
  DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
  DO(cuGraphLaunch(exec, nullptr));
  expect_result(1);
  copy = copy_of(twice);
  DO(cuGraphExecMemcpyNodeSetParams(exec, copied, &copy, context));
  DO(cuGraphLaunch(exec, nullptr));
  expect_result(2);
  DO(cuGraphExecDestroy(exec));
  EXPECT_CODE(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(exec, nullptr));
  DO(cuGraphDestroy(graph));
}

void captured() {
  CUstream stream;
  DO(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DO(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUstreamCaptureStatus status;
  DO(cuStreamIsCapturing(stream, &status));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  DO(cuLaunchKernel(scale, 2, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  CUgraph graph;
  const CUgraphNode* after;
  size_t dependencies = 0;
  cuuint64_t id;
  DO(cuStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &after, &dependencies));
  EXPECT(dependencies == 1);
  DO(cuStreamEndCapture(stream, &graph));
  float first;
  DO(cuMemcpyDtoH(&first, to, sizeof first));
  EXPECT(first == 0);  // a capture runs nothing
  CUgraphExec exec;
  DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
  DO(cuGraphLaunch(exec, stream));
  DO(cuStreamSynchronize(stream));
  expect_result(2);  // what the graph before has copied
  DO(cuGraphExecDestroy(exec));
  DO(cuGraphDestroy(graph));
  DO(cuStreamDestroy(stream));
}

void with_attributes() {
  CUlaunchAttribute attributes[2] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[0].value.cooperative = 1;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[1].value.clusterDim = {1, 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = 2;
  config.blockDimX = 128;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  DO(cuLaunchKernelEx(&config, scale, arguments, nullptr));
  expect_result(2);
  config.gridDimX = 1 << 20;
  EXPECT_CODE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, cuLaunchKernelEx(&config, scale, arguments, nullptr));
  config.gridDimX = 2;
  attributes[1].value.clusterDim = {2, 1, 1};
  EXPECT_CODE(CUDA_ERROR_NOT_SUPPORTED, cuLaunchKernelEx(&config, scale, arguments, nullptr));
}

}  // namespace

int main(int, char** argv) {
  DO(cuInit(0));
  CUcontext context;
  DO(cuCtxCreate(&context, 0, 0));
  CUmodule module;
  DO(cuModuleLoad(&module, image(argv[0], "driver_kernels.fatbin").c_str()));
  DO(cuModuleGetFunction(&scale, module, "scale"));
  DO(cuMemAlloc(&from, kCount * sizeof(float)));
  DO(cuMemAlloc(&to, kCount * sizeof(float)));
  built();
  captured();
  with_attributes();
  std::puts("graphs ok");
}
