// Messages between nodes are either read as they were written, or rejected.

#include "actors/cluster_messages.hpp"
#include "tests/fuzz/fuzzer.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

using namespace troupe::actors;
using namespace troupe::fuzz;

namespace {

using buffer = std::vector<char>;

template <class Message>
buffer written(Message& what) {
  buffer result;
  caf::binary_serializer to{nullptr, result};
  require(!to(what), "what was read can be written");
  return result;
}

template <class Message>
void check(std::string_view text) {
  Message what;
  caf::binary_deserializer from{nullptr, text.data(), text.size()};
  if (from(what))
    return;
  auto first = written(what);
  Message again;
  caf::binary_deserializer reader{nullptr, first};
  require(!reader(again), "what was written can be read");
  require(written(again) == first, "what was written is read as it was");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  input from{bytes, size};
  switch (from.number() % 5) {
  case 0:
    check<relay_request>(from.rest());
    break;
  case 1:
    check<relay_taken>(from.rest());
    break;
  case 2:
    check<relay_closed>(from.rest());
    break;
  case 3:
    check<session_taken>(from.rest());
    break;
  default:
    check<relay_answer>(from.rest());
  }
  return 0;
}
