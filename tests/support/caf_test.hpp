#pragma once

#include <caf/test/dsl.hpp>

// Undefines macros of CAF's test DSL that collide with our names and those of libraries.
#undef allow
#undef disallow
#undef expect
#undef inject
