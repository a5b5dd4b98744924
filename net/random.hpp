#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace troupe::net {

/// 128 bits that nobody can guess, from the system's generator. Callable from any thread.
std::array<std::byte, 16> random_128();

/// Enough to make things differ.
std::uint64_t random_64();

} // namespace troupe::net
