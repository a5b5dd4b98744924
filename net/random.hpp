#pragma once

#include <array>
#include <cstddef>

namespace troupe::net {

/// 128 bits that nobody can guess, from the system's generator. Callable from any thread.
std::array<std::byte, 16> random_128();

} // namespace troupe::net
