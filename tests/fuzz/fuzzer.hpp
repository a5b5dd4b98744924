#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace troupe::fuzz {

/// Aborts the process if a required condition is false. libFuzzer then reports the input.
inline void require(bool is_true, std::string_view what) {
  if (is_true)
    return;
  std::fprintf(stderr, "not true: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// An input whose parts are taken from its front.
class input {
public:
  input(const std::uint8_t* bytes, std::size_t size) : rest_{reinterpret_cast<const char*>(bytes), size} {}

  /// A number below 256; 0 at the end of the input.
  std::size_t number() {
    if (rest_.empty())
      return 0;
    auto result = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return result;
  }
  std::string_view rest() const { return rest_; }

private:
  std::string_view rest_;
};

/// Passes a text on in pieces. The input's first byte gives their sizes. A reader must not depend on the sizes.
template <class Feed>
void in_pieces(std::string_view text, std::size_t size, Feed feed) {
  size = size == 0 ? 1 : size;
  for (; !text.empty(); text.remove_prefix(std::min(size, text.size())))
    feed(text.substr(0, size));
}

} // namespace troupe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
