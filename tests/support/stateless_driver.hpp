#pragma once

#include "tests/support/session_driver.hpp"
#include "tests/support/stateless_effects.hpp"

#include <string>
#include <utility>

namespace troupe::tests {

// -- effects -------------------------------------------------------------------------

inline forward_to_server asks_server(std::string text) { return {gateway_message(std::move(text))}; }
inline send_response answered(exchange_id exchange, std::string text, int error = 0) {
  return {exchange, std::move(text), error};
}
inline send_response refused(exchange_id exchange, std::string id, int code, const std::string& why) {
  return {exchange, error_text(id, code, why), code};
}

/// The answer to a request whose server failed.
inline send_response lost_with_server(exchange_id exchange, std::string id) {
  auto result = refused(exchange, std::move(id), -32603, "The MCP server died");
  result.how = call_outcome::kind::lost;
  return result;
}

// -- texts ---------------------------------------------------------------------------

/// The client's `_meta` members in a 2026-07-28 request.
const std::string client_meta =
    R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{})";

/// A request of 2026-07-28. `params` and `meta` are members.
inline std::string modern(std::string id, std::string method, const std::string& params = {},
                          const std::string& meta = {}) {
  auto all = R"("_meta":{)" + client_meta + (meta.empty() ? "" : "," + meta) + "}";
  return request(std::move(id), std::move(method), "{" + (params.empty() ? all : params + "," + all) + "}");
}

const std::string info_member = R"("io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"})";
/// The last members of a result of that server.
const std::string complete = R"("resultType":"complete","_meta":{)" + info_member + "}";
const std::string cacheable = R"("ttlMs":0,"cacheScope":"private",)" + complete;

} // namespace troupe::tests
