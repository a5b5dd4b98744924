#pragma once

#include "protocol/http/entry.hpp"
#include "tests/support/client_hello.hpp"
#include "tests/support/protocol_effects.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::tests {

using namespace protocol;

/// The parsed form of a request, or its refusal.
using parsed_request = std::variant<rejection, health_request, readiness_request, preflight_request, state_request,
                                    metadata_request, issuer_request, post_request, stream_request, delete_request,
                                    sse_request, sse_post_request, stateless_post, dropped_notification>;

inline parsed_request parsed(http_request& request, const access_rules& at = {}) {
  auto as_parsed = [](auto&& what) { return parsed_request{std::move(what)}; };
  auto read = [&](auto&& what) {
    if constexpr (std::is_same_v<std::decay_t<decltype(what)>, mcp_request>)
      return std::visit(as_parsed, parse_request(request, std::move(what)));
    else
      return as_parsed(std::move(what));
  };
  return std::visit(read, enter(request, at));
}

using fields = std::vector<http_field>;
using answer_fields = std::vector<std::pair<std::string, std::string>>;

const std::string id = "0123456789abcdef0123456789abcdef";
constexpr auto call = R"({"jsonrpc":"2.0","id":7,"method":"tools/list"})";

const fields post_fields{{"Host", "localhost:8080"},
                         {"Content-Type", "application/json"},
                         {"Accept", "application/json, text/event-stream"},
                         {"Mcp-Session-Id", id},
                         {"MCP-Protocol-Version", "2025-11-25"}};
const fields get_fields{{"Host", "localhost:8080"}, {"Accept", "text/event-stream"}, {"Mcp-Session-Id", id}};
const fields delete_fields{{"Host", "localhost:8080"}, {"Mcp-Session-Id", id}};

/// The fields with some replaced. A field without a value is removed.
inline fields with(fields result, const fields& others) {
  for (auto& other : others) {
    std::erase_if(result, [&](const http_field& one) { return one.name == other.name; });
    if (other.value.data())
      result.push_back(other);
  }
  return result;
}

constexpr std::string_view none{};

inline parsed_request parsed(std::string_view method, std::string_view target, fields sent_fields,
                             std::string body = {}, const access_rules& at = {}) {
  http_request request{method, target, std::move(sent_fields), std::move(body)};
  return parsed(request, at);
}

/// A short description of the request; for a refusal its status, code and id.
inline std::string seen(const parsed_request& one) {
  struct {
    std::string operator()(const rejection& why) {
      return std::to_string(why.status) + ' ' + std::to_string(why.code) + (why.id.empty() ? "" : " id " + why.id);
    }
    std::string operator()(const health_request&) { return "health"; }
    std::string operator()(const readiness_request&) { return "readiness"; }
    std::string operator()(const preflight_request&) { return "preflight"; }
    std::string operator()(const post_request& post) {
      return "post " + std::to_string(post.body.messages.size()) + (post.session.empty() ? "" : " of " + post.session);
    }
    std::string operator()(const state_request&) { return "state"; }
    std::string operator()(const issuer_request&) { return "issuer"; }
    std::string operator()(const metadata_request& about) { return "metadata of " + about.endpoint; }
    std::string operator()(const sse_request&) { return "sse"; }
    std::string operator()(const sse_post_request& post) {
      return "sse post " + std::to_string(post.body.messages.size()) + " of " + post.session;
    }
    std::string operator()(const stream_request& get) {
      return "stream of " + get.session + (get.last.empty() ? "" : " after " + get.last);
    }
    std::string operator()(const stateless_post& one) {
      return "answer to " + one.request.method + (one.server.empty() ? "" : " of " + one.server);
    }
    std::string operator()(const dropped_notification&) { return "nothing"; }
    std::string operator()(const delete_request& end) { return "end of " + end.session; }
  } in_words;
  return std::visit(in_words, one);
}

const std::string good_post = "post 1 of " + id;

} // namespace troupe::tests
