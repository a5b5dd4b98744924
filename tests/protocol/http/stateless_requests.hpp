#pragma once

#include "tests/protocol/http/parsed_requests.hpp"

#include <string>
#include <string_view>

namespace troupe::tests {

// Requests of 2026-07-28.

constexpr std::string_view served = "2026-07-28";

/// The header fields of a stateless request; without `Mcp-Name` when `name` has no value.
inline fields alone_fields(std::string_view method, std::string_view name = none) {
  fields result{{"Host", "localhost:8080"},
                {"Content-Type", "application/json"},
                {"Accept", "application/json, text/event-stream"},
                {"MCP-Protocol-Version", served},
                {"Mcp-Method", method}};
  return with(result, {{"Mcp-Name", name}});
}

const std::string capabilities = R"("io.modelcontextprotocol/clientCapabilities":{})";

/// A member of `_meta`; `version` is a JSON token.
inline std::string says_version(const std::string& version) {
  return R"("io.modelcontextprotocol/protocolVersion":)" + version;
}

const std::string good_meta = says_version(R"("2026-07-28")") + "," + capabilities;

/// A request with these additional members of the params, which begin with a comma.
inline std::string stateless_call(const std::string& method, const std::string& members = {},
                                  const std::string& meta = good_meta) {
  return R"({"jsonrpc":"2.0","id":"q","method":")" + method + R"(","params":{"_meta":{)" + meta + "}" + members + "}}";
}

inline parsed_request parsed_stateless(fields sent_fields, std::string body) {
  return parsed("POST", "/mcp", std::move(sent_fields), std::move(body));
}

/// A refusal with the id of `stateless_call`.
inline std::string refused(int status, int code) {
  return std::to_string(status) + ' ' + std::to_string(code) + " id \"q\"";
}

} // namespace troupe::tests
