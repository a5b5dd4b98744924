#include "net/random.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <openssl/rand.h>
#include <unistd.h>

namespace troupe::net {

namespace {

/// Bytes of the generator that nobody has had yet: to ask it for many costs little more than to ask it for a few.
class random_bytes {
public:
  std::array<std::byte, 16> take() {
    if (left_ == 0 || owner_ != ::getpid())
      fill();
    std::array<std::byte, 16> result;
    left_ -= result.size();
    std::ranges::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(left_), result.size(), result.begin());
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(left_), result.size(), std::byte{});
    return result;
  }

private:
  /// Without randomness there are no sessions that are safe to hand out.
  void fill() {
    if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes_.data()), static_cast<int>(bytes_.size())) != 1)
      std::abort();
    left_ = bytes_.size();
    owner_ = ::getpid();
  }

  std::array<std::byte, 512> bytes_;
  std::size_t left_ = 0;
  /// The process that filled it: what is forked from that must not hand out the same.
  pid_t owner_ = 0;
};

} // namespace

std::array<std::byte, 16> random_128() {
  static thread_local random_bytes bytes;
  return bytes.take();
}

std::uint64_t random_64() {
  std::uint64_t result = 0;
  auto bytes = random_128();
  std::memcpy(&result, bytes.data(), sizeof result);
  return result;
}

std::uint64_t quick_random_64() {
  static thread_local std::uint64_t state = random_64();
  static thread_local const std::uint64_t step = random_64() | 1;
  auto result = state += step; // SplitMix: Steele, Lea and Flood, 2014
  result = (result ^ (result >> 30)) * 0xBF58476D1CE4E5B9;
  result = (result ^ (result >> 27)) * 0x94D049BB133111EB;
  return result ^ (result >> 31);
}

std::array<std::byte, 16> quick_random_128() {
  return std::bit_cast<std::array<std::byte, 16>>(std::array{quick_random_64(), quick_random_64()});
}

} // namespace troupe::net
