#include "protocol/remote/mismatched_calls.hpp"

#include "protocol/message/splice.hpp"

namespace troupe::protocol {

void mismatched_calls::drop(std::string_view id) {
  std::erase_if(calls_, [&](auto& one) { return one.call.what.id == id; });
}

message mismatched_calls::list_request(std::string_view cursor) const {
  auto& first = calls_.front().call.what;
  auto meta = without_member(find_member(first.text, {"params", "_meta"}).value_or("{}"), "progressToken");
  auto text = R"({"jsonrpc":"2.0","id":"troupe-tools","method":"tools/list","params":{"_meta":)" + meta;
  if (!cursor.empty())
    text.append(R"(,"cursor":)").append(cursor);
  auto result = own_message(text + "}}");
  result.asker = first.asker;
  return result;
}

} // namespace troupe::protocol
