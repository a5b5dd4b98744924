#include "protocol/readiness.hpp"

#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

namespace troupe::protocol {

namespace {

std::string json_of(const unready& one) {
  auto result = R"({"what":)" + quoted(one.what);
  if (!one.name.empty())
    result += R"(,"name":)" + quoted(one.name);
  return result + R"(,"why":)" + quoted(one.why) + '}';
}

} // namespace

unready gateway_drains() { return {.what = "gateway", .why = "it is draining"}; }

unready nodes_missing(bool are_lost) {
  return {.what = "cluster", .why = are_lost ? "this node has lost the others" : "this node looks for the others"};
}

rejection not_ready(const std::vector<unready>& reasons) {
  const auto& first = reasons.front();
  auto result = first.what == "gateway"   ? gateway_stops()
                : first.what == "cluster" ? nodes_not_known()
                                          : unavailable("a server that is essential is not ready: " + first.name);
  result.body = R"({"jsonrpc":"2.0","id":null,"error":{"code":)" + std::to_string(result.code) + R"(,"message":)" +
                quoted(result.text) + R"(},"status":"unready","reasons":)" + unready_text(reasons) + '}';
  return result;
}

std::string unready_text(const std::vector<unready>& reasons) { return '[' + joined(reasons, ",", json_of) + ']'; }

} // namespace troupe::protocol
