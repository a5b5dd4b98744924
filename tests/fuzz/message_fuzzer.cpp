// A message relayed with other ids differs in the ids only.

#include "protocol/message/message.hpp"
#include "tests/fuzz/boost_json.hpp"
#include "tests/fuzz/fuzzer.hpp"

using namespace troupe::protocol;
using namespace troupe::fuzz;

namespace {

namespace json = boost::json;

constexpr auto other_id = "987654";
constexpr auto other_reference = "\"another\"";

/// The value that refers to another message.
json::value* reference_in(json::value& of, const message& one) {
  auto& params = of.at("params").as_object();
  if (one.method == "notifications/progress")
    return &params.at("progressToken");
  if (one.method == "notifications/cancelled")
    return &params.at("requestId");
  return &params.at("_meta").as_object().at("progressToken");
}

void check(const message& one) {
  require(one.text.find('\n') == one.text.npos && one.text.find('\r') == one.text.npos, "a message is one line");
  require(has_ids_in_place(one), "the ids are where the message says");
  auto read_before = parsed(one.text);
  if (!read_before && may_have_halves(one.text))
    return;
  auto& before = read_before.value();
  if (!one.id.empty()) {
    require(before.at("id") == parsed(one.id), "the id is that of the message");
    before.at("id") = *parsed(other_id);
  }
  if (!one.reference.empty()) {
    auto* at = reference_in(before, one);
    require(*at == parsed(one.reference), "the reference is that of the message");
    *at = *parsed(other_reference);
  }
  auto other = relayed(one, one.id.empty() ? "" : other_id, one.reference.empty() ? "" : other_reference);
  auto after = parsed(other.text);
  require(after && json::serialize(*after) == json::serialize(before), "a relayed message differs in its ids only");
  auto again = read_message(other.text);
  require(std::holds_alternative<message>(again), "a relayed message can be read");
  auto& read = std::get<message>(again);
  require(read.kind == one.kind && read.method == one.method, "a relayed message is of the same kind");
  require(read.id == other.id && read.reference == other.reference, "a relayed message has its new ids");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string text{reinterpret_cast<const char*>(bytes), size};
  auto read = read_body(text);
  if (auto body = std::get_if<post_body>(&read)) {
    require(!body->messages.empty() && body->messages.size() <= max_batch, "a body has messages");
    for (auto& one : body->messages)
      check(one);
    auto alone = read_message(text);
    require(body->batch || std::holds_alternative<message>(alone), "one message is read alike everywhere");
  }
  return 0;
}
