// Any peer of a link, calling or called, either has proved the key or is refused, however its bytes arrive.

#include "net/node/node_link_handshake.hpp"
#include "protocol/cluster/node_identity.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::net;
using namespace troupe::fuzz;

namespace {

const std::string binding = "what only the two ends know";

struct outcome {
  std::string said;
  std::string why_not;
  bool is_accepted = false;

  friend bool operator==(const outcome&, const outcome&) = default;
};

outcome hear(node_link_handshake& one, std::string_view text, std::size_t piece) {
  outcome result;
  in_pieces(text, piece, [&](std::string_view bytes) { result.said += one.feed(bytes); });
  result.why_not = one.why_not();
  result.is_accepted = one.is_accepted();
  require(one.why_not().find('\n') == std::string::npos, "what is wrong is told in one line");
  return result;
}

/// A peer without the key cannot prove it.
void check_stranger(bool dials, std::string_view text, std::size_t piece) {
  node_link_handshake whole{dials, {"key", "old key"}, "us"};
  node_link_handshake pieces{dials, {"key", "old key"}, "us"};
  whole.begin(binding);
  pieces.begin(binding);
  auto all = hear(whole, text, text.size());
  require(!whole.is_authenticated() && !all.is_accepted, "a stranger is not let in");
  require(all == hear(pieces, text, piece), "pieces are refused for the same reason");
}

/// A hello arrives at the other node unchanged.
void check_hello(std::string_view hello, std::size_t piece) {
  if (hello.size() > node_link_handshake::longest_hello)
    return;
  node_link_handshake caller{true, {"key", "old key"}, std::string{hello}};
  node_link_handshake called{false, {"old key", "key"}, "us"};
  called.begin(binding);
  auto answer = hear(called, caller.begin(binding), piece);
  require(called.is_authenticated() && called.hello() == hello, "the hello is heard as it was said");
  require(hear(caller, answer.said + node_link_handshake::consent(), piece).is_accepted, "the caller is let in");
}

void check_card(std::string_view text) {
  using namespace troupe::protocol;
  if (auto card = read_card(text))
    require(card_text(*card) == text, "a card that was read is written the same");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input from{bytes, size};
  const auto piece = from.number();
  check_stranger(true, from.rest(), piece);
  check_stranger(false, from.rest(), piece);
  check_hello(from.rest(), piece);
  check_card(from.rest());
  return 0;
}
