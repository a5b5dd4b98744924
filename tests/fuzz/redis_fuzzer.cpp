// A reader of Redis replies works with any pieces.

#include "net/redis/redis_protocol.hpp"
#include "tests/fuzz/fuzzer.hpp"

#include <vector>

using namespace troupe::net;
using namespace troupe::fuzz;

namespace {

constexpr std::size_t longest_reply = 4096;

struct heard {
  std::vector<redis_reply> replies;
  bool is_faulty = false;

  friend bool operator==(const heard&, const heard&) = default;
};

heard read(std::string_view text, std::size_t piece) {
  redis_reader reader{longest_reply};
  heard result;
  in_pieces(text, piece, [&](std::string_view bytes) {
    reader.feed(bytes);
    while (auto one = reader.next())
      result.replies.push_back(std::move(*one));
  });
  result.is_faulty = !reader.why_not().empty();
  require(reader.why_not().find('\n') == std::string::npos, "what is wrong is told in one line");
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input from{bytes, size};
  const auto piece = from.number();
  if (from.rest().size() <= longest_reply)
    require(read(from.rest(), piece) == read(from.rest(), from.rest().size()), "pieces make the same replies");
  else
    read(from.rest(), piece);
  return 0;
}
