// SPDX-License-Identifier: Apache-2.0
// Nothing of this library is ever destroyed. A program may call the runtime until its very end: in destructors of its
// own static objects, in exit handlers, and in threads that still run. Which of them come first does not depend on
// this library. So the linker (--wrap in CMakeLists.txt) passes each request of the library's code to destroy a static
// object at exit to this function, which does nothing.
extern "C" int __wrap___cxa_atexit(void (*)(void*), void*, void*);    // NOLINT(bugprone-reserved-identifier)
int __wrap___cxa_atexit(void (*)(void*), void*, void*) { return 0; }  // NOLINT(bugprone-reserved-identifier)
