#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace troupe::net {

/// 128 bits that nobody can guess, from the system's generator. Callable from any thread.
std::array<std::byte, 16> random_128();

/// Enough to make things differ.
std::uint64_t random_64();

/// The same by a generator that is far quicker, to tell requests and traces apart. No secrets: who sees a few of
/// them can tell the next, and a process that is forked goes on with the same. Callable from any thread.
std::uint64_t quick_random_64();
std::array<std::byte, 16> quick_random_128();

} // namespace troupe::net
