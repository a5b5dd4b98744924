// A session record that can be read is written again without changes.

#include "protocol/session/session_record.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::protocol;
using troupe::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  auto read = read_record({reinterpret_cast<const char*>(bytes), size});
  if (!read)
    return 0;
  require(read->subscriptions.size() <= most_kept_subscriptions, "a record has no more subscriptions than are kept");
  require(read_record(record_text(*read)) == read, "a record that was read is read again as it was written");
  return 0;
}
