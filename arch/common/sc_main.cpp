// SPDX-License-Identifier: Apache-2.0
// libsystemc has a main() that calls sc_main(), so the name must be there when libsystemc is loaded. Programs with a
// main() of their own get this one; in a SystemC platform it is the platform's.
#include <systemc>

int sc_main(int, char*[]) { return 0; }
