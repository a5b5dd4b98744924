#include "caf/test/unit_test_impl.hpp"
