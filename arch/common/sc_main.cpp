// SPDX-License-Identifier: Apache-2.0
// An empty sc_main() for programs with a main() of their own: libsystemc has a main() that calls sc_main(), so the name
// must be there when libsystemc is loaded. A SystemC platform, which has its own, does not link this file.
#include <systemc>

int sc_main(int, char*[]) { return 0; }
