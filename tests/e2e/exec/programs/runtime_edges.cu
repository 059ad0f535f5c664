// SPDX-License-Identifier: Apache-2.0
// What a CUDA runtime answers at its edges: each case prints the results of its steps on one line. A case runs in a
// process of its own, several of them side by side. With a name as argument, only that case runs. The answers of an
// H200 are in validation/measured/runtime_edges_h200.txt. No case prints an address.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <thread>

namespace {

__global__ void store(int* to, int value) { *to = value; }
__global__ void load(const int* from, int* to) { *to = *from; }
__global__ void nothing() {}
__global__ void slow_store(volatile int* to, int value, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  *to = value;
  __threadfence_system();
}
__global__ void trap() { asm("trap;"); }
__global__ void print() { printf("[printed]"); }
__global__ void call(int* to, void (*function)(int*)) {
  to[1] = 7;
  function(to);
}
__device__ void set_five(int* to) { *to = 5; }
__device__ void (*pointer_to_set_five)(int*) = set_five;
__global__ void call_some(int* to, void (*function)(int*)) {
  if (threadIdx.x == 3) function(to);
  to[1] = 7;
}
__global__ void jump_to_pointer(int* to, int which) {
  pointer_to_set_five = which ? set_five : nullptr;
  *to = 1;
}

__device__ int variable = 5;
__global__ void next_of_variable(int* to) { *to = variable++; }
__constant__ int constants[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
__global__ void constant(int* to, int index) { *to = constants[index]; }
__global__ void constant_by_lane(int* to, int index) { to[threadIdx.x] = constants[index * (threadIdx.x == 5)]; }
__global__ void wide_constant(double* to, int index) { *to = reinterpret_cast<const double*>(constants)[index]; }
struct Parameters {
  int values[16];
};
__global__ void parameter(Parameters p, int* to, int index) { *to = p.values[index]; }
__managed__ int managed[4] = {1, 2, 3, 4};
__global__ void write_managed() { managed[0] += 10; }
__global__ void large_shared(int* to) {
  extern __shared__ int words[];
  words[threadIdx.x] = 1;
  *to = words[threadIdx.x];
}

std::string line;
void text(const std::string& part) { line += (line.empty() ? "" : "; ") + part; }
void say(const char* step, cudaError_t code) {
  const std::string name = cudaGetErrorName(code);
  text(std::string(step) + " " + (name.rfind("cudaError", 0) == 0 ? name.substr(9) : name.substr(4)));
}
void say(const char* step, long long value) { text(std::string(step) + " " + std::to_string(value)); }
void say(const char* step, const char* value) { text(std::string(step) + " " + value); }
void tell() {  // before a step that may kill the process
  std::fputs((line + (line.empty() ? "" : "; ")).c_str(), stdout);
  std::fflush(stdout);
  line.clear();
}
#define DO(step, call) say(step, (call))

constexpr std::size_t kPage = 4096;
void* pages(std::size_t count, int protection = PROT_READ | PROT_WRITE) {
  return mmap(nullptr, count * kPage, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}
int* device_memory() {
  int* p = nullptr;
  cudaMalloc(&p, 4096);
  cudaMemset(p, 0, 4096);
  return p;
}
int value_at(const int* device) {
  int value = -1;
  const cudaError_t code = cudaMemcpy(&value, device, 4, cudaMemcpyDeviceToHost);
  if (code != cudaSuccess) say("copy", code);
  return value;
}
void finish_kernel(const char* step = "kernel") {
  cudaError_t code = cudaGetLastError();
  if (code == cudaSuccess) code = cudaDeviceSynchronize();
  say(step, code);
}
template <class T>
void store_to(T* at, int value = 9) {
  cudaGetLastError();  // of earlier steps
  store<<<1, 1>>>(reinterpret_cast<int*>(at), value);
  finish_kernel();
}
const long long kLong = 1000000;  ///< cycles, in which the host goes on

// Registered memory ---------------------------------------------------------------------------------------------------

void register_plain(unsigned flags) {
  auto* p = static_cast<int*>(pages(2));
  DO("register", cudaHostRegister(p, 2 * kPage, flags));
  int* device = nullptr;
  DO("device pointer", cudaHostGetDevicePointer(&device, p, 0));
  say("is", device == p ? "equal" : "another");
  store_to(p);
  say("value", p[0]);
  unsigned got = 77;
  DO("flags", cudaHostGetFlags(&got, p));
  say("are", got);
  cudaPointerAttributes of{};
  DO("attributes", cudaPointerGetAttributes(&of, p + 100));
  say("type", of.type);
  say("device", of.devicePointer == p + 100);
  say("host", of.hostPointer == p + 100);
  DO("unregister", cudaHostUnregister(p));
  DO("again", cudaHostUnregister(p));
  store_to(p, 10);
}
void register_unmapped_low() {
  DO("register", cudaHostRegister(reinterpret_cast<void*>(0x1000), 4096, 0));
  DO("last", cudaGetLastError());
  store_to(reinterpret_cast<int*>(0x1000));
}
void register_unmapped() {
  void* p = pages(4);
  munmap(p, 4 * kPage);
  DO("register", cudaHostRegister(p, 4 * kPage, 0));
}
void register_half_mapped() {
  auto* p = static_cast<char*>(pages(4));
  munmap(p + 2 * kPage, 2 * kPage);
  DO("register", cudaHostRegister(p, 4 * kPage, 0));
  DO("of the mapped half", cudaHostRegister(p, 2 * kPage, 0));
}
void register_protected(int protection, unsigned flags) {
  auto* p = static_cast<int*>(pages(2));
  p[0] = 4;
  mprotect(p, 2 * kPage, protection);
  DO("register", cudaHostRegister(p, 2 * kPage, flags));
  if (cudaGetLastError() != cudaSuccess) return;
  int* to = device_memory();
  load<<<1, 1>>>(p, to);
  finish_kernel("load");
  say("value", value_at(to));
  store_to(p);
  mprotect(p, 2 * kPage, PROT_READ);
  say("value", p[0]);
}
void register_read_only_attribute() {
  int value = -1;
  DO("attribute", cudaDeviceGetAttribute(&value, cudaDevAttrHostRegisterReadOnlySupported, 0));
  say("read-only registration", value);
  DO("attribute", cudaDeviceGetAttribute(&value, cudaDevAttrPageableMemoryAccess, 0));
  say("pageable access", value);
}
const int constant_data[3 * kPage / 4] = {5};
void register_program_constants() {
  auto* p = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(constant_data) + kPage - 1) / kPage * kPage);
  DO("register", cudaHostRegister(p, kPage, 0));
  DO("read-only", cudaHostRegister(p, kPage, cudaHostRegisterReadOnly));
}
void register_overlaps() {
  auto* p = static_cast<char*>(pages(8));
  DO("register", cudaHostRegister(p + 2 * kPage, 2 * kPage, 0));
  DO("the same", cudaHostRegister(p + 2 * kPage, 2 * kPage, 0));
  DO("inside", cudaHostRegister(p + 2 * kPage + 100, 10, 0));
  DO("around", cudaHostRegister(p + kPage, 4 * kPage, 0));
  DO("the beginning", cudaHostRegister(p + kPage, 2 * kPage, 0));
  DO("the end", cudaHostRegister(p + 3 * kPage, 2 * kPage, 0));
  DO("before", cudaHostRegister(p + kPage, kPage, 0));
  DO("behind", cudaHostRegister(p + 4 * kPage, kPage, 0));
  DO("unregister inside", cudaHostUnregister(p + 2 * kPage + 100));
  DO("unregister", cudaHostUnregister(p + 2 * kPage));
}
void register_in_one_page() {
  auto* p = static_cast<char*>(pages(2));
  DO("register", cudaHostRegister(p + 64, 64, 0));
  DO("same page", cudaHostRegister(p + 1024, 64, 0));
  DO("adjacent", cudaHostRegister(p + 128, 64, 0));
  store_to(p + 64);
  store_to(p + 512);
}
void register_arguments() {
  void* p = pages(2);
  DO("null", cudaHostRegister(nullptr, 4, 0));
  DO("no bytes", cudaHostRegister(p, 0, 0));
  DO("flags 0x100", cudaHostRegister(p, kPage, 0x100));
  DO("huge", cudaHostRegister(p, ~std::size_t{0}, 0));
  DO("wraps", cudaHostRegister(p, ~std::size_t{0} - reinterpret_cast<std::uintptr_t>(p) + 2, 0));
  DO("I/O memory", cudaHostRegister(p, kPage, cudaHostRegisterIoMemory));
}
void register_other_memory() {
  void *pinned = nullptr, *device = nullptr, *managed_memory = nullptr;
  DO("pinned", cudaHostAlloc(&pinned, kPage, 0));
  DO("register", cudaHostRegister(pinned, kPage, 0));
  DO("unregister", cudaHostUnregister(pinned));
  DO("device", cudaMalloc(&device, kPage));
  DO("register", cudaHostRegister(device, kPage, 0));
  DO("managed", cudaMallocManaged(&managed_memory, kPage));
  DO("register", cudaHostRegister(managed_memory, kPage, 0));
  DO("free of pinned by cudaFree", cudaFree(pinned));
  DO("of managed by cudaFreeHost", cudaFreeHost(managed_memory));
  DO("of managed", cudaFree(managed_memory));
  void* p = pages(1);
  DO("register", cudaHostRegister(p, kPage, 0));
  DO("of registered by cudaFreeHost", cudaFreeHost(p));
  DO("by cudaFree", cudaFree(p));
  DO("unregister", cudaHostUnregister(p));
}
void register_file(int kind) {
  char name[] = "/tmp/edgesXXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  if (ftruncate(file, kind == 2 ? 100 : 2 * kPage) != 0) return;
  void* p = mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, kind == 0 ? MAP_SHARED : MAP_PRIVATE, file, 0);
  DO("register", cudaHostRegister(p, 2 * kPage, 0));
  if (cudaGetLastError() != cudaSuccess) return;
  store_to(p);
  say("value", *static_cast<int*>(p));
}
void device_pointer_of_others() {
  int* device = reinterpret_cast<int*>(8);
  void* p = pages(2);
  DO("pageable", cudaHostGetDevicePointer(&device, p, 0));
  say("pointer", device == nullptr ? "null" : device == reinterpret_cast<int*>(8) ? "kept" : "set");
  int* own = device_memory();
  DO("device", cudaHostGetDevicePointer(&device, own, 0));
  DO("null", cudaHostGetDevicePointer(&device, nullptr, 0));
  int* managed_memory = nullptr;
  cudaMallocManaged(&managed_memory, kPage);
  DO("managed", cudaHostGetDevicePointer(&device, managed_memory, 0));
  DO("register", cudaHostRegister(p, kPage, 0));
  DO("inside", cudaHostGetDevicePointer(&device, static_cast<char*>(p) + 100, 0));
  say("is", reinterpret_cast<char*>(device) == static_cast<char*>(p) + 100 ? "equal" : "another");
  DO("behind", cudaHostGetDevicePointer(&device, static_cast<char*>(p) + kPage, 0));
  DO("flags", cudaHostGetDevicePointer(&device, p, 1));
  unsigned flags = 0;
  DO("flags of pageable", cudaHostGetFlags(&flags, static_cast<char*>(p) + kPage));
  DO("flags of device", cudaHostGetFlags(&flags, own));
  int* pinned = nullptr;
  DO("pinned", cudaHostAlloc(&pinned, kPage, cudaHostAllocWriteCombined));
  DO("flags of pinned", cudaHostGetFlags(&flags, pinned));
  say("are", flags);
  DO("bad flags", cudaHostAlloc(&pinned, kPage, 0x100));
}
// What the host does with registered memory before a kernel stores to it.
void registered_then(int what) {
  auto* p = static_cast<int*>(pages(256));
  p[0] = 3;
  DO("register", cudaHostRegister(p, 256 * kPage, cudaHostRegisterMapped));
  if (what == 0) munmap(p, 256 * kPage);
  if (what == 1) mprotect(p, 256 * kPage, PROT_READ);
  if (what == 2) mprotect(p, 256 * kPage, PROT_NONE);
  if (what == 3)
    if (mmap(p, 256 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
      return;
  store_to(p);
  tell();
  if (what == 1 || what == 3) say("value", p[0]);
  if (what == 2) {
    mprotect(p, 256 * kPage, PROT_READ);
    say("value", p[0]);
  }
  int* to = device_memory();
  load<<<1, 1>>>(p, to);
  finish_kernel("load");
  say("value", value_at(to));
  int on_host = -1;
  if (what == 0) DO("copy", cudaMemcpy(&on_host, p, 4, cudaMemcpyDefault));
  say("value", on_host);
  DO("unregister", cudaHostUnregister(p));
}
void registered_then_freed() {
  auto* p = static_cast<int*>(malloc(1 << 20));
  DO("register", cudaHostRegister(p, 1 << 20, 0));
  free(p);
  store_to(p);
}
void pageable_store() {
  static int target = 3;
  store_to(&target);
}
void copy_unmapped(int way) {
  auto* p = static_cast<int*>(pages(4, way == 2 ? PROT_READ : PROT_READ | PROT_WRITE));
  if (way != 2) munmap(p, 4 * kPage);
  int* d = device_memory();
  tell();
  if (way == 0) DO("copy from", cudaMemcpy(d, p, 4, cudaMemcpyHostToDevice));
  if (way == 1) DO("copy to", cudaMemcpy(p, d, 4, cudaMemcpyDeviceToHost));
  if (way == 2) DO("copy to read-only", cudaMemcpy(p, d, 4, cudaMemcpyDeviceToHost));
}
void copy_registered_then_unmapped(int way) {
  auto* p = static_cast<int*>(pages(256));
  DO("register", cudaHostRegister(p, 256 * kPage, 0));
  munmap(p, 256 * kPage);
  int* d = device_memory();
  tell();
  DO("copy", way == 0 ? cudaMemcpy(d, p, 4, cudaMemcpyHostToDevice) : cudaMemcpy(p, d, 4, cudaMemcpyDeviceToHost));
  DO("fill", cudaMemset(p, 0, 4));
}

// Function pointers ---------------------------------------------------------------------------------------------------

void call_pointer(std::uint64_t address) {
  int* to = device_memory();
  if (address == 1) address = reinterpret_cast<std::uint64_t>(to);
  call<<<1, 1>>>(to, reinterpret_cast<void (*)(int*)>(address));
  finish_kernel();
  DO("malloc", cudaMalloc(&to, 4));
}
void call_pointer_some(std::uint64_t address) {
  int* to = device_memory();
  call_some<<<2, 64>>>(to, reinterpret_cast<void (*)(int*)>(address));
  finish_kernel();
}
void call_pointer_real(int offset) {
  int* to = device_memory();
  void (*function)(int*) = nullptr;
  jump_to_pointer<<<1, 1>>>(to, 1);
  DO("symbol", cudaMemcpyFromSymbol(&function, pointer_to_set_five, sizeof function));
  call<<<1, 1>>>(to, reinterpret_cast<void (*)(int*)>(reinterpret_cast<std::uint64_t>(function) + offset));
  finish_kernel();
  say("value", value_at(to));
}

// Constants -----------------------------------------------------------------------------------------------------------

void read_constant(int index) {
  int* to = device_memory();
  store<<<1, 1>>>(to, 99);
  constant<<<1, 1>>>(to, index);
  finish_kernel();
  const int value = value_at(to);
  say("value", value == 0 ? "0" : value >= 1 && value <= 16 ? std::to_string(value).c_str() : "other");
}
void read_constant_by_lane(int index) {
  int* to = device_memory();
  constant_by_lane<<<1, 32>>>(to, index);
  finish_kernel();
  int values[32] = {};
  DO("copy", cudaMemcpy(values, to, sizeof values, cudaMemcpyDeviceToHost));
  say("lane 4", values[4]);
  say("lane 5", values[5] == 0 ? "0" : "other");
}
void read_wide_constant(int index) {
  int* to = device_memory();
  wide_constant<<<1, 1>>>(reinterpret_cast<double*>(to), index);
  finish_kernel();
}
void read_parameter(int index) {
  int* to = device_memory();
  Parameters p;
  for (int i = 0; i < 16; ++i) p.values[i] = i + 1;
  parameter<<<1, 1>>>(p, to, index);
  finish_kernel();
  const int value = value_at(to);
  say("value", value == 0 ? "0" : value >= 1 && value <= 16 ? std::to_string(value).c_str() : "other");
}

// Sizes ---------------------------------------------------------------------------------------------------------------

void* const kMark = reinterpret_cast<void*>(0x77);
const char* became(void* p) { return p == nullptr ? "null" : p == kMark ? "kept" : "set"; }
void malloc_pitch(std::size_t width, std::size_t height) {
  void* p = kMark;
  std::size_t pitch = 7;
  DO("pitch", cudaMallocPitch(&p, &pitch, width, height));
  say("pointer", became(p));
  say("pitch", static_cast<long long>(pitch));
  DO("last", cudaGetLastError());
}
void malloc_3d(std::size_t width, std::size_t height, std::size_t depth) {
  cudaPitchedPtr p{kMark, 7, 8, 9};
  DO("3D", cudaMalloc3D(&p, cudaExtent{width, height, depth}));
  say("pointer", became(p.ptr));
  say("pitch", static_cast<long long>(p.pitch));
  say("width", static_cast<long long>(p.xsize));
  say("height", static_cast<long long>(p.ysize));
}
void malloc_sizes() {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 46, std::size_t{1} << 62, ~std::size_t{0}}) {
    void* p = kMark;
    DO("malloc", cudaMalloc(&p, bytes));
    say("pointer", became(p));
  }
}
void malloc_async_sizes() {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 46, ~std::size_t{0}}) {
    void* p = kMark;
    DO("malloc", cudaMallocAsync(&p, bytes, 0));
    say("pointer", became(p));
  }
}
void host_sizes() {
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 45, std::size_t{1} << 62, ~std::size_t{0}}) {
    void* p = kMark;
    DO("host", cudaHostAlloc(&p, bytes, 0));
    say("pointer", became(p));
    p = kMark;
    DO("host", cudaMallocHost(&p, bytes));
    say("pointer", became(p));
  }
}
void managed_sizes() {  // none of a size that a GPU could begin to provide
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1} << 62, ~std::size_t{0}}) {
    void* p = kMark;
    DO("managed", cudaMallocManaged(&p, bytes));
    say("pointer", became(p));
  }
  void* p = kMark;
  DO("flags 0", cudaMallocManaged(&p, 4, 0));
  DO("flags 8", cudaMallocManaged(&p, 4, 8));
}
void array_sizes() {
  const auto format = cudaCreateChannelDesc<float>();
  const std::size_t sizes[][2] = {{0, 0}, {~std::size_t{0}, 4}, {4, ~std::size_t{0}}, {1 << 20, 1 << 20}};
  for (const auto& size : sizes) {
    auto a = static_cast<cudaArray_t>(kMark);
    DO("array", cudaMallocArray(&a, &format, size[0], size[1]));
    say("pointer", became(a));
  }
  const std::size_t boxes[][3] = {{1 << 14, 1 << 14, 1 << 14}, {~std::size_t{0}, 1, 1}, {0, 0, 0}, {4, 0, 4}};
  for (const auto& box : boxes) {
    auto a = static_cast<cudaArray_t>(kMark);
    DO("3D array", cudaMalloc3DArray(&a, &format, cudaExtent{box[0], box[1], box[2]}, 0));
    say("pointer", became(a));
  }
}

// Reset ---------------------------------------------------------------------------------------------------------------

void reset(const char* step = "reset") { DO(step, cudaDeviceReset()); }

void reset_variables() {
  for (int turn = 0; turn < 3; ++turn) {
    int* to = device_memory();
    next_of_variable<<<1, 1>>>(to);
    next_of_variable<<<1, 1>>>(to);
    say("variable", value_at(to));
    constant<<<1, 1>>>(to, 1);
    say("constant", value_at(to));
    const int seven = 7;
    DO("to symbol", cudaMemcpyToSymbol(constants, &seven, 4, 4));
    constant<<<1, 1>>>(to, 1);
    say("constant", value_at(to));
    reset();
  }
}
void reset_frees() {
  std::size_t free = 0, total = 0;
  for (int turn = 0; turn < 3; ++turn) {
    DO("size", cudaMemGetInfo(&free, &total));
    void* p = nullptr;
    DO("malloc", cudaMalloc(&p, total / 8 * 5));
    reset();
  }
}
void reset_pending() {
  auto* host = static_cast<int*>(pages(1));
  DO("register", cudaHostRegister(host, kPage, 0));
  slow_store<<<1, 1>>>(host, 8, kLong);
  reset();
  say("value", host[0]);
}
void reset_pending_copy() {
  int* d = device_memory();
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  slow_store<<<1, 1, 0, stream>>>(d, 8, kLong);
  auto* host = static_cast<int*>(pages(1));
  DO("register", cudaHostRegister(host, kPage, 0));
  DO("copy", cudaMemcpyAsync(host, d, 4, cudaMemcpyDeviceToHost, stream));
  reset();
  say("value", host[0]);
}
void reset_pointer(int what) {
  int* p = device_memory();
  reset();
  int value = 1;
  tell();
  if (what == 0) DO("copy", cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
  if (what == 1) DO("free", cudaFree(p));
  if (what == 2) store_to(p);
  if (what == 3) DO("fill", cudaMemset(p, 0, 4));
  if (what == 4) {
    cudaPointerAttributes of{};
    DO("attributes", cudaPointerGetAttributes(&of, p));
    say("type", of.type);
  }
}
void reset_stream(int what) {
  cudaStream_t s = nullptr;
  DO("create", cudaStreamCreate(&s));
  nothing<<<1, 1, 0, s>>>();
  reset();
  tell();
  if (what == 0) DO("synchronize", cudaStreamSynchronize(s));
  if (what == 1) DO("query", cudaStreamQuery(s));
  if (what == 2) DO("destroy", cudaStreamDestroy(s));
  if (what == 3) {
    nothing<<<1, 1, 0, s>>>();
    finish_kernel();
  }
  if (what == 4) {
    int* p = device_memory();
    DO("copy", cudaMemcpyAsync(&what, p, 4, cudaMemcpyDeviceToHost, s));
  }
}
void reset_event(int what) {
  cudaEvent_t a = nullptr, b = nullptr;
  DO("create", cudaEventCreate(&a));
  cudaEventCreate(&b);
  cudaEventRecord(a);
  cudaEventRecord(b);
  reset();
  tell();
  float ms = 0;
  if (what == 0) DO("record", cudaEventRecord(a));
  if (what == 1) DO("query", cudaEventQuery(a));
  if (what == 2) DO("synchronize", cudaEventSynchronize(a));
  if (what == 3) DO("elapsed", cudaEventElapsedTime(&ms, a, b));
  if (what == 4) DO("destroy", cudaEventDestroy(a));
  if (what == 5) DO("wait", cudaStreamWaitEvent(nullptr, a, 0));
}
void reset_graph(int what) {
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  nothing<<<1, 1, 0, s>>>();
  DO("capture", cudaStreamEndCapture(s, &graph));
  DO("instantiate", cudaGraphInstantiateWithFlags(&exec, graph, 0));
  reset();
  tell();
  if (what == 0) DO("launch", cudaGraphLaunch(exec, nullptr));
  if (what == 1) DO("instantiate", cudaGraphInstantiateWithFlags(&exec, graph, 0));
  if (what == 2) DO("destroy", cudaGraphExecDestroy(exec));
  if (what == 3) DO("destroy", cudaGraphDestroy(graph));
}
void reset_array(int what) {
  cudaArray_t array;
  const auto format = cudaCreateChannelDesc<float>();
  DO("create", cudaMallocArray(&array, &format, 64, 64));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  cudaTextureObject_t object = 0;
  DO("texture", cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  reset();
  tell();
  float value = 0;
  if (what == 0) DO("free", cudaFreeArray(array));
  if (what == 1) DO("destroy", cudaDestroyTextureObject(object));
  if (what == 2) DO("copy", cudaMemcpy2DFromArray(&value, 4, array, 0, 0, 4, 1, cudaMemcpyDeviceToHost));
}
void reset_pinned(int what) {
  int *p = nullptr, *d = nullptr;
  DO("pinned", cudaHostAlloc(&p, kPage, cudaHostAllocMapped));
  p[0] = 6;
  reset();
  tell();
  if (what == 0) say("value", *static_cast<volatile int*>(p));
  if (what == 1) DO("free", cudaFreeHost(p));
  if (what == 2) store_to(p);
  if (what == 3) DO("device pointer", cudaHostGetDevicePointer(&d, p, 0));
}
void reset_registered(int what) {
  auto* p = static_cast<int*>(pages(1));
  int* d = nullptr;
  DO("register", cudaHostRegister(p, kPage, 0));
  p[0] = 6;
  reset();
  say("value", p[0]);
  if (what == 0) DO("unregister", cudaHostUnregister(p));
  if (what == 1) DO("register", cudaHostRegister(p, kPage, 0));
  if (what == 2) store_to(p);
  if (what == 3) DO("device pointer", cudaHostGetDevicePointer(&d, p, 0));
}
void reset_managed_memory(int what) {
  int* p = nullptr;
  DO("managed", cudaMallocManaged(&p, kPage));
  p[0] = 6;
  store<<<1, 1>>>(p + 1, 3);
  reset();
  tell();
  if (what == 0) say("value", *static_cast<volatile int*>(p));
  if (what == 1) DO("free", cudaFree(p));
  if (what == 2) store_to(p);
}
void reset_managed_variable(int what) {
  managed[1] = 50;
  write_managed<<<1, 1>>>();
  DO("synchronize", cudaDeviceSynchronize());
  say("value", managed[0]);
  int* const before = managed;
  reset();
  tell();
  if (what == 0) {
    say("value", managed[0]);
    say("value", managed[1]);
  }
  if (what == 1) managed[2] = 60;
  if (what <= 1) {
    say("place", before == managed ? "equal" : "another");
    write_managed<<<1, 1>>>();
    finish_kernel();
    say("value", managed[0]);
    say("value", managed[1]);
    say("value", managed[2]);
  }
  if (what == 2) {
    write_managed<<<1, 1>>>();
    finish_kernel();
    say("value", managed[0]);
    say("value", managed[1]);
    say("place", before == managed ? "equal" : "another");
  }
}
void reset_settings() {
  std::size_t value = 0;
  const cudaLimit limits[] = {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize};
  for (cudaLimit limit : limits) {
    cudaDeviceGetLimit(&value, limit);
    say("default", static_cast<long long>(value));
    DO("set", cudaDeviceSetLimit(limit, value * 2));
  }
  DO("cache", cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  reset();
  for (cudaLimit limit : limits) {
    DO("get", cudaDeviceGetLimit(&value, limit));
    say("is", static_cast<long long>(value));
  }
  cudaFuncCache config;
  DO("cache", cudaDeviceGetCacheConfig(&config));
  say("is", config);
  int device = -1;
  DO("device", cudaGetDevice(&device));
  say("is", device);
}
void reset_device_flags() {
  unsigned flags = 99;
  DO("set", cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
  DO("use", cudaFree(nullptr));
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
  reset();
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
}
void first_device_flags() {
  unsigned flags = 99;
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
  DO("use", cudaFree(nullptr));
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
  reset();
  DO("get", cudaGetDeviceFlags(&flags));
  say("are", flags);
}
void reset_function_attribute() {
  int* to = device_memory();
  large_shared<<<1, 32, 60000>>>(to);
  finish_kernel("before");
  DO("attribute", cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440));
  large_shared<<<1, 32, 60000>>>(to);
  finish_kernel("with it");
  reset();
  to = device_memory();
  large_shared<<<1, 32, 60000>>>(to);
  finish_kernel("after");
}
void reset_last_error() {
  void* p = nullptr;
  DO("malloc", cudaMalloc(&p, ~std::size_t{0}));
  reset();
  DO("peek", cudaPeekAtLastError());
  DO("get", cudaGetLastError());
}
void fault(int kind) {
  if (kind == 0) store<<<1, 1>>>(nullptr, 1);
  if (kind == 1) trap<<<1, 1>>>();
  if (kind == 2) store<<<1, 1>>>(reinterpret_cast<int*>(reinterpret_cast<char*>(device_memory()) + 1), 1);
}
void after_fault() {
  int* p = nullptr;
  DO("malloc", cudaMalloc(&p, 4));
  DO("last", cudaGetLastError());
  DO("last", cudaGetLastError());
  store_to(p);
  if (p) say("value", value_at(p));
}
void reset_fault(int kind) {
  fault(kind);
  DO("synchronize", cudaDeviceSynchronize());
  reset();
  after_fault();
  reset("reset again");
  after_fault();
}
void reset_fault_unseen() {
  fault(0);
  reset();
  DO("last", cudaGetLastError());
  after_fault();
}
void reset_fault_read() {  // as reset_fault, but the error was read before
  fault(0);
  DO("synchronize", cudaDeviceSynchronize());
  DO("last", cudaGetLastError());
  reset();
  DO("last", cudaGetLastError());
  int* p = nullptr;
  DO("malloc", cudaMalloc(&p, 4));
}
void reset_twice() {
  reset("first");
  reset("second");
  store_to(device_memory());
  reset("third");
  reset("fourth");
  store_to(device_memory());
}
void reset_in_capture(int mode) {
  cudaStream_t s;
  cudaGraph_t graph = nullptr;
  cudaStreamCreate(&s);
  DO("begin", cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(mode)));
  nothing<<<1, 1, 0, s>>>();
  reset();
  tell();
  DO("end", cudaStreamEndCapture(s, &graph));
  store_to(device_memory());
}
void reset_from_a_thread() {
  int* p = device_memory();
  say("value", value_at(p));
  std::thread([] {
    store_to(device_memory());
    reset();
  }).join();
  DO("copy", cudaMemcpy(p, &p, 4, cudaMemcpyHostToDevice));
  DO("last", cudaGetLastError());
  store_to(device_memory());
}
void reset_prints() {
  print<<<1, 1>>>();
  reset();
}
void reset_pool() {
  cudaMemPool_t pool;
  DO("pool", cudaDeviceGetDefaultMemPool(&pool, 0));
  std::uint64_t threshold = 12345;
  DO("set", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  void* p = nullptr;
  DO("malloc", cudaMallocAsync(&p, 4096, nullptr));
  reset();
  tell();
  cudaMemPool_t now;
  DO("pool", cudaDeviceGetDefaultMemPool(&now, 0));
  DO("get", cudaMemPoolGetAttribute(now, cudaMemPoolAttrReleaseThreshold, &threshold));
  say("is", static_cast<long long>(threshold));
  DO("free", cudaFreeAsync(p, nullptr));
}
#if CUDART_VERSION < 12000
void reset_thread_exit() {
  int* to = device_memory();
  next_of_variable<<<1, 1>>>(to);
  DO("exit", cudaThreadExit());
  to = device_memory();
  next_of_variable<<<1, 1>>>(to);
  say("value", value_at(to));
}
#endif
void reset_callback() {
  static cudaError_t code = cudaErrorUnknown;
  cudaStream_t s;
  cudaStreamCreate(&s);
  DO("callback", cudaLaunchHostFunc(
                     s, [](void*) { code = cudaDeviceReset(); }, nullptr));
  DO("synchronize", cudaStreamSynchronize(s));
  DO("reset in it", code);
}
// Which calls return a kernel's error.
void sticky(int kind) {
  int* d = device_memory();
  cudaEvent_t event;
  cudaStream_t stream;
  cudaEventCreate(&event);
  cudaStreamCreate(&stream);
  void *pinned = nullptr, *registered = pages(1);
  cudaHostAlloc(&pinned, kPage, 0);
  fault(kind);
  DO("synchronize", cudaDeviceSynchronize());
  int number = 0, value = 0;
  std::size_t size = 0;
  unsigned flags = 0;
  cudaDeviceProp properties;
  void* p = nullptr;
  DO("count", cudaGetDeviceCount(&number));
  DO("device", cudaGetDevice(&number));
  DO("set device", cudaSetDevice(0));
  DO("properties", cudaGetDeviceProperties(&properties, 0));
  DO("attribute", cudaDeviceGetAttribute(&number, cudaDevAttrWarpSize, 0));
  DO("version", cudaRuntimeGetVersion(&number));
  DO("limit", cudaDeviceGetLimit(&size, cudaLimitStackSize));
  DO("set limit", cudaDeviceSetLimit(cudaLimitStackSize, 2048));
  DO("flags", cudaGetDeviceFlags(&flags));
  DO("memory", cudaMemGetInfo(&size, &size));
  DO("free null", cudaFree(nullptr));
  DO("free", cudaFree(d));
  DO("host", cudaHostAlloc(&p, 16, 0));
  DO("register", cudaHostRegister(registered, kPage, 0));
  DO("free host", cudaFreeHost(pinned));
  DO("event", cudaEventCreate(&event));
  DO("query", cudaEventQuery(event));
  DO("destroy", cudaEventDestroy(event));
  DO("stream", cudaStreamCreate(&stream));
  DO("query", cudaStreamQuery(stream));
  DO("destroy", cudaStreamDestroy(stream));
  DO("symbol", cudaGetSymbolAddress(&p, variable));
  DO("attributes", cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 61440));
  DO("copy 0 bytes", cudaMemcpy(&value, d, 0, cudaMemcpyDeviceToHost));
  nothing<<<1, 1>>>();
  DO("launch", cudaGetLastError());
}

#define CASE(name, ...)       \
  {                           \
    name, [] { __VA_ARGS__; } \
  }
const std::map<std::string, void (*)()> kCases = {
    CASE("register", register_plain(cudaHostRegisterDefault)),
    CASE("register-mapped", register_plain(cudaHostRegisterMapped)),
    CASE("register-portable", register_plain(cudaHostRegisterPortable)),
    CASE("register-low", register_unmapped_low()),
    CASE("register-unmapped", register_unmapped()),
    CASE("register-half", register_half_mapped()),
    CASE("register-none", register_protected(PROT_NONE, 0)),
    CASE("register-read", register_protected(PROT_READ, 0)),
    CASE("register-read-mapped", register_protected(PROT_READ, cudaHostRegisterMapped)),
    CASE("register-read-only", register_protected(PROT_READ, cudaHostRegisterReadOnly)),
    CASE("register-write-read-only", register_protected(PROT_READ | PROT_WRITE, cudaHostRegisterReadOnly)),
    CASE("register-none-read-only", register_protected(PROT_NONE, cudaHostRegisterReadOnly)),
    CASE("register-attribute", register_read_only_attribute()),
    CASE("register-constants", register_program_constants()),
    CASE("register-overlaps", register_overlaps()),
    CASE("register-page", register_in_one_page()),
    CASE("register-arguments", register_arguments()),
    CASE("register-others", register_other_memory()),
    CASE("register-shared-file", register_file(0)),
    CASE("register-private-file", register_file(1)),
    CASE("register-short-file", register_file(2)),
    CASE("device-pointer", device_pointer_of_others()),
    CASE("registered-unmapped", registered_then(0)),
    CASE("registered-read-only", registered_then(1)),
    CASE("registered-protected", registered_then(2)),
    CASE("registered-replaced", registered_then(3)),
    CASE("registered-freed", registered_then_freed()),
    CASE("pageable", pageable_store()),
    CASE("copy-from-unmapped", copy_unmapped(0)),
    CASE("copy-to-unmapped", copy_unmapped(1)),
    CASE("copy-to-read-only", copy_unmapped(2)),
    CASE("copy-from-registered-unmapped", copy_registered_then_unmapped(0)),
    CASE("copy-to-registered-unmapped", copy_registered_then_unmapped(1)),
    CASE("call-null", call_pointer(0)),
    CASE("call-16", call_pointer(16)),
    CASE("call-low", call_pointer(0x10000)),
    CASE("call-nowhere", call_pointer(0x123456789a)),
    CASE("call-high", call_pointer(0xffffffffffffff00)),
    CASE("call-data", call_pointer(1)),
    CASE("call-null-by-one-lane", call_pointer_some(0)),
    CASE("call-nowhere-by-one-lane", call_pointer_some(0x1234567890)),
    CASE("call-function", call_pointer_real(0)),
    CASE("call-function-8", call_pointer_real(8)),
    CASE("constant-15", read_constant(15)),
    CASE("constant-16", read_constant(16)),
    CASE("constant-64", read_constant(64)),
    CASE("constant-1000", read_constant(1000)),
    CASE("constant-8000", read_constant(8000)),
    CASE("constant-16383", read_constant(16383)),
    CASE("constant-16384", read_constant(16384)),
    CASE("constant-20000", read_constant(20000)),
    CASE("constant-1Mi", read_constant(1 << 20)),
    CASE("constant-512Mi", read_constant(1 << 29)),
    CASE("constant-minus-1", read_constant(-1)),
    CASE("constant-minus-9", read_constant(-9)),
    CASE("constant-minus-1Mi", read_constant(-(1 << 20))),
    CASE("constant-by-lane-16", read_constant_by_lane(16)),
    CASE("constant-by-lane-16384", read_constant_by_lane(16384)),
    CASE("constant-by-lane-minus-9", read_constant_by_lane(-9)),
    CASE("constant-wide-8192", read_wide_constant(8192)),
    CASE("parameter-15", read_parameter(15)),
    CASE("parameter-5000", read_parameter(5000)),
    CASE("parameter-16384", read_parameter(16384)),
    CASE("parameter-1Mi", read_parameter(1 << 20)),
    CASE("parameter-minus-1Mi", read_parameter(-(1 << 20))),
    CASE("pitch-4Ei", malloc_pitch(std::size_t{1} << 62, 4)),
    CASE("pitch-all", malloc_pitch(~std::size_t{0}, 1)),
    CASE("pitch-wraps", malloc_pitch(std::size_t{1} << 32, std::size_t{1} << 32)),
    CASE("pitch-all-but-511", malloc_pitch(~std::size_t{0} - 511, 1)),
    CASE("pitch-high", malloc_pitch(4, ~std::size_t{0})),
    CASE("pitch-no-width", malloc_pitch(0, 4)),
    CASE("pitch-no-height", malloc_pitch(4, 0)),
    CASE("pitch-large", malloc_pitch(std::size_t{1} << 40, 64)),
    CASE("pitch-3Gi", malloc_pitch(std::size_t{3} << 30, 1)),
    CASE("pitch-100", malloc_pitch(100, 3)),
    CASE("3d-wraps", malloc_3d(std::size_t{1} << 40, 1 << 20, 1 << 10)),
    CASE("3d-all", malloc_3d(~std::size_t{0} - 5, 1, 1)),
    CASE("3d-rows-wrap", malloc_3d(4, std::size_t{1} << 32, std::size_t{1} << 32)),
    CASE("3d-no-depth", malloc_3d(4, 4, 0)),
    CASE("3d-small", malloc_3d(100, 3, 2)),
    CASE("malloc-sizes", malloc_sizes()),
    CASE("malloc-async-sizes", malloc_async_sizes()),
    CASE("host-sizes", host_sizes()),
    CASE("managed-sizes", managed_sizes()),
    CASE("array-sizes", array_sizes()),
    CASE("reset-variables", reset_variables()),
    CASE("reset-frees", reset_frees()),
    CASE("reset-pending", reset_pending()),
    CASE("reset-pending-copy", reset_pending_copy()),
    CASE("reset-pointer-copy", reset_pointer(0)),
    CASE("reset-pointer-free", reset_pointer(1)),
    CASE("reset-pointer-store", reset_pointer(2)),
    CASE("reset-pointer-fill", reset_pointer(3)),
    CASE("reset-pointer-attributes", reset_pointer(4)),
    CASE("reset-stream-synchronize", reset_stream(0)),
    CASE("reset-stream-query", reset_stream(1)),
    CASE("reset-stream-destroy", reset_stream(2)),
    CASE("reset-stream-launch", reset_stream(3)),
    CASE("reset-stream-copy", reset_stream(4)),
    CASE("reset-event-record", reset_event(0)),
    CASE("reset-event-query", reset_event(1)),
    CASE("reset-event-synchronize", reset_event(2)),
    CASE("reset-event-elapsed", reset_event(3)),
    CASE("reset-event-destroy", reset_event(4)),
    CASE("reset-event-wait", reset_event(5)),
    CASE("reset-graph-launch", reset_graph(0)),
    CASE("reset-graph-instantiate", reset_graph(1)),
    CASE("reset-graph-exec-destroy", reset_graph(2)),
    CASE("reset-graph-destroy", reset_graph(3)),
    CASE("reset-array-free", reset_array(0)),
    CASE("reset-texture-destroy", reset_array(1)),
    CASE("reset-array-copy", reset_array(2)),
    CASE("reset-pinned-read", reset_pinned(0)),
    CASE("reset-pinned-free", reset_pinned(1)),
    CASE("reset-pinned-store", reset_pinned(2)),
    CASE("reset-pinned-pointer", reset_pinned(3)),
    CASE("reset-registered-unregister", reset_registered(0)),
    CASE("reset-registered-register", reset_registered(1)),
    CASE("reset-registered-store", reset_registered(2)),
    CASE("reset-registered-pointer", reset_registered(3)),
    CASE("reset-managed-read", reset_managed_memory(0)),
    CASE("reset-managed-free", reset_managed_memory(1)),
    CASE("reset-managed-store", reset_managed_memory(2)),
    CASE("reset-managed-variable-read", reset_managed_variable(0)),
    CASE("reset-managed-variable-write", reset_managed_variable(1)),
    CASE("reset-managed-variable-kernel", reset_managed_variable(2)),
    CASE("reset-settings", reset_settings()),
    CASE("reset-first-device-flags", first_device_flags()),
    CASE("reset-device-flags", reset_device_flags()),
    CASE("reset-function-attribute", reset_function_attribute()),
    CASE("reset-last-error", reset_last_error()),
    CASE("reset-fault-address", reset_fault(0)),
    CASE("reset-fault-trap", reset_fault(1)),
    CASE("reset-fault-misaligned", reset_fault(2)),
    CASE("reset-fault-unseen", reset_fault_unseen()),
    CASE("reset-fault-read", reset_fault_read()),
    CASE("reset-twice", reset_twice()),
    CASE("reset-capture-global", reset_in_capture(0)),
    CASE("reset-capture-thread", reset_in_capture(1)),
    CASE("reset-capture-relaxed", reset_in_capture(2)),
    CASE("reset-thread", reset_from_a_thread()),
    CASE("reset-prints", reset_prints()),
    CASE("reset-pool", reset_pool()),
#if CUDART_VERSION < 12000
    CASE("reset-thread-exit", reset_thread_exit()),
#endif
    CASE("reset-callback", reset_callback()),
    CASE("sticky", sticky(0)),
    CASE("sticky-trap", sticky(1)),
};

void run_case(const std::string& name, void (*run)()) {
  alarm(name == "reset-frees" ? 60 : 5);
  line.clear();
  run();
  std::puts(line.c_str());
  std::fflush(stdout);
}

/// Runs a case in a child, whose output the parent reads.
struct Child {
  std::string name;
  pid_t process;
  int output;
};
Child begin(const std::string& name, void (*run)()) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t process = fork();
  if (process == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    run_case(name, run);
    _exit(0);
  }
  close(ends[1]);
  return {name, process, ends[0]};
}
void finish(const Child& child) {
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(child.output, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(child.output);
  int status = 0;
  waitpid(child.process, &status, 0);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (WIFSIGNALED(status)) text += "[signal " + std::to_string(WTERMSIG(status)) + "]";
  std::printf("%s: %s\n", child.name.c_str(), text.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 1) {
    const auto found = kCases.find(arguments[1]);
    if (found == kCases.end()) return 2;
    run_case(found->first, found->second);
    return 0;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  constexpr std::size_t kSideBySide = 8;
  std::deque<Child> children;
  for (const auto& [name, run] : kCases) {
    if (children.size() == kSideBySide) {
      finish(children.front());
      children.pop_front();
    }
    children.push_back(begin(name, run));
  }
  for (const Child& child : children) finish(child);
  return 0;
}
