#pragma once

#include <caf/test/dsl.hpp>

// Words of our own and of libraries, which these macros of the DSL would replace in every header that follows.
#undef allow
#undef disallow
#undef expect
#undef inject
