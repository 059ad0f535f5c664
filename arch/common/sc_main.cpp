// SPDX-License-Identifier: Apache-2.0
// The sc_main() of programs with a main() of their own: libsystemc has a main() that calls sc_main(), so the name must
// be there when libsystemc is loaded. In a SystemC platform it is the platform's.
#include <systemc>

int sc_main(int, char*[]) { return 0; }
