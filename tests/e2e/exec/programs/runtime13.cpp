// SPDX-License-Identifier: Apache-2.0
// CUDA 13's runtime without its toolkit: the program asks libcudart.so.13 for its functions by name, loads code of its
// own as a library, and calls what has another meaning than in CUDA 12. The declarations are those of CUDA 13.0.
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#define EXPECT(x)                                       \
  do {                                                  \
    if (x) break;                                       \
    std::printf("line %d: not so: %s\n", __LINE__, #x); \
    std::exit(1);                                       \
  } while (0)
#define DO(x) EXPECT((x) == 0)

namespace {

void* runtime;

/// The function of this name and version, with the type of the arguments.
template <class... Arguments>
int cuda(const char* name, Arguments... arguments) {
  void* const function = dlvsym(runtime, name, "libcudart.so.13");
  if (!function) std::printf("%s is not there\n", name), std::exit(1);
  return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
}

struct Dim {
  unsigned x, y, z;
};
struct Location {
  int type, id;
};
constexpr Location kDevice{1, 0};
using Stream = void*;

/// cudaDeviceProp: the fields that are looked at.
struct Properties {
  char bytes[1008];
  template <class T>
  T at(std::size_t offset) const {
    T value;
    std::memcpy(&value, bytes + offset, sizeof value);
    return value;
  }
};

void versions() {
  int version = 0;
  DO(cuda("cudaRuntimeGetVersion", &version));
  EXPECT(version == 13000);
  DO(cuda("cudaDriverGetVersion", &version));
  EXPECT(version >= 13000);
  Properties of;
  std::memset(&of, 0xa5, sizeof of);
  DO(cuda("cudaGetDeviceProperties", &of, 0));
  const int major = of.at<int>(360), minor = of.at<int>(364);
  EXPECT(of.at<int>(308) == 32);     // warpSize
  EXPECT(of.at<int>(384) > 0);       // multiProcessorCount
  EXPECT(of.at<int>(632) == 65536);  // regsPerMultiprocessor
  EXPECT(of.at<int>(1004) == 0);     // the last reserved one
  void* entry = nullptr;
  int found = 9;
  DO(cuda("cudaGetDriverEntryPointByVersion", "cuMemAlloc", &entry, 12000u, 0ull, &found));
  EXPECT(entry && found == 0);
  std::printf("sm_%d%d\n", major, minor);
}

void libraries(const std::vector<char>& image) {
  void *library = nullptr, *kernel = nullptr, *counter = nullptr;
  DO(cuda("cudaLibraryLoadData", &library, image.data(), nullptr, nullptr, 0u, nullptr, nullptr, 0u));
  DO(cuda("cudaLibraryGetKernel", &kernel, library, "scale"));
  unsigned count = 0;
  DO(cuda("cudaLibraryGetKernelCount", &count, library));
  EXPECT(count >= 4);
  std::vector<void*> kernels(count);
  DO(cuda("cudaLibraryEnumerateKernels", kernels.data(), count, library));
  std::size_t bytes = 0;
  DO(cuda("cudaLibraryGetGlobal", &counter, &bytes, library, "counter"));
  EXPECT(bytes == 4);
  EXPECT(cuda("cudaLibraryGetKernel", &kernel, &library, "scale") ==
         400);  // no library: cudaErrorInvalidResourceHandle
  const int seven = 7;
  DO(cuda("cudaMemcpy", counter, &seven, sizeof seven, 1));
  float *from = nullptr, *to = nullptr;
  DO(cuda("cudaMalloc", &from, std::size_t{400}));
  DO(cuda("cudaMallocManaged", &to, std::size_t{400}, 1u));
  float values[100];
  for (int i = 0; i < 100; ++i) values[i] = static_cast<float>(i);
  Stream stream = nullptr;
  DO(cuda("cudaStreamCreate", &stream));
  void* const goals[] = {from, from + 50};
  const void* const sources[] = {values, values + 50};
  const std::size_t sizes[] = {200, 200};
  long attributes[4] = {};  // cudaMemcpyAttributes
  attributes[0] = 1;        // in the order of the stream
  std::size_t first = 0;
  DO(cuda("cudaMemcpyBatchAsync", goals, sources, sizes, std::size_t{2}, attributes, &first, std::size_t{1}, stream));
  DO(cuda("cudaMemAdvise", to, std::size_t{400}, 3, kDevice));
  DO(cuda("cudaMemPrefetchAsync", to, std::size_t{400}, kDevice, 0u, stream));
  DO(cuda("cudaKernelSetAttributeForDevice", kernel, 8, 1024, 0));
  int n = 100;
  void* arguments[] = {&from, &to, &n};
  DO(cuda("__cudaLaunchKernel", kernel, Dim{4, 1, 1}, Dim{32, 1, 1}, arguments, std::size_t{0}, stream));
  DO(cuda("cudaStreamSynchronize", stream));
  for (int i = 0; i < 100; ++i) EXPECT(to[i] == 2 * values[i] + 7);
  int device = 9;
  DO(cuda("cudaStreamGetDevice", stream, &device));
  EXPECT(device == 0);
  long where[11];  // cudaPointerAttributes
  std::memset(where, 0xa5, sizeof where);
  DO(cuda("cudaPointerGetAttributes", where, from));
  EXPECT(where[0] == 2 && where[1] == reinterpret_cast<long>(from) && where[10] == 0);
  DO(cuda("cudaLibraryUnload", library));
}

/// Edges have data, which stands before their number.
void graphs() {
  void *graph = nullptr, *nodes[2] = {}, *from = nullptr, *to = nullptr;
  DO(cuda("cudaGraphCreate", &graph, 0u));
  for (void*& node : nodes) DO(cuda("cudaGraphAddEmptyNode", &node, graph, nullptr, std::size_t{0}));
  DO(cuda("cudaGraphAddDependencies", graph, nodes, nodes + 1, nullptr, std::size_t{1}));
  unsigned char edge[8];
  std::memset(edge, 0xa5, sizeof edge);
  std::size_t count = 1;
  DO(cuda("cudaGraphGetEdges", graph, &from, &to, edge, &count));
  EXPECT(count == 1 && from == nodes[0] && to == nodes[1] && edge[0] == 0 && edge[7] == 0);
  DO(cuda("cudaGraphDestroy", graph));
}

/// What is not there says so.
void missing() {
  EXPECT(cuda("cudaLogsCurrent", nullptr, 0u) == 801);
  EXPECT(!dlvsym(runtime, "cudaThreadSynchronize", "libcudart.so.13"));  // CUDA 13 no longer has it
  EXPECT(!dlvsym(runtime, "cudaGetDeviceProperties_v2", "libcudart.so.13"));
}

}  // namespace

int main(int, char** argv) {
  runtime = dlopen("libcudart.so.13", RTLD_NOW);
  if (!runtime) return std::puts(dlerror()), 1;
  versions();
  const std::string path = argv[0];
  std::ifstream in(path.substr(0, path.rfind('/') + 1) + "driver_kernels.fatbin", std::ios::binary);
  libraries({std::istreambuf_iterator<char>(in), {}});
  graphs();
  missing();
  std::puts("runtime 13 ok");
}
