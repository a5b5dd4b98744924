// An SSE decoder works with any pieces, and reads what the encoder writes.

#include "protocol/text/sse.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::protocol;
using namespace troupe::fuzz;

namespace {

constexpr std::size_t event_limit = 200;

std::vector<event> decoded(sse_decoder& by, std::string_view text, std::size_t piece) {
  std::vector<event> result;
  in_pieces(text, piece, [&](std::string_view bytes) {
    for (auto& one : by.feed(bytes))
      result.push_back(std::move(one));
  });
  return result;
}

/// Encoded events are read back, except a type or an id with a line break, which no stream can carry.
void check_encoding(const event& one) {
  sse_decoder reader{1 << 20};
  auto back = reader.feed(encode(one));
  require(back.size() == 1 && back.front() == one, "an event that was read is read again as it was written");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input from{bytes, size};
  const auto piece = from.number();
  sse_decoder whole{event_limit};
  sse_decoder pieces{event_limit};
  auto all = decoded(whole, from.rest(), from.rest().size());
  require(all == decoded(pieces, from.rest(), piece), "pieces make the same events");
  require(whole.overflowed() == pieces.overflowed(), "pieces are too long when the whole is");
  require(whole.last_event_id() == pieces.last_event_id(), "pieces have the same last id");
  require(whole.retry() == pieces.retry(), "pieces have the same retry");
  for (auto& one : all) {
    require(one.data.size() <= event_limit && !one.data.empty(), "an event has data, within the limit");
    check_encoding(one);
  }
  sse_decoder commented{event_limit};
  require(commented.feed(comment(from.rest())).empty(), "a comment is no event");
  return 0;
}
