#pragma once

#include "protocol/hosted/hosted_offer.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/severity.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// The number of a call of a hosted server's handler; not used twice in a session.
using hosted_call_id = std::uint64_t;

/// The call of a handler.
struct hosted_call {
  enum class kind { tool, prompt, resource, completion };
  kind is = kind::tool;
  /// The number of the tool, prompt, resource or template; 0 for a completion.
  std::uint64_t item = 0;
  /// The request's id and its progress token, JSON tokens; no token when the client wants no progress.
  std::string id = {};
  std::string token = {};
  /// The name of the tool or prompt, the URI of the resource.
  std::string name = {};
  /// Of a tool or prompt; the variables of a resource's template; a completion's whole params.
  boost::json::object arguments = {};
  /// The MIME type of a resource, the description of a prompt.
  std::string about = {};

  friend bool operator==(const hosted_call&, const hosted_call&) = default;
};

// What a hosted server decides. Its actor carries the effects out in the order in which they stand.

/// Send to the client.
struct send_client {
  message what;
  friend bool operator==(const send_client&, const send_client&) = default;
};

/// Call a handler.
struct start_call {
  hosted_call_id call = 0;
  hosted_call what;
  friend bool operator==(const start_call&, const start_call&) = default;
};

/// Tell a handler that the client cancelled its call.
struct cancel_call {
  hosted_call_id call = 0;
  friend bool operator==(const cancel_call&, const cancel_call&) = default;
};

/// Pass the client's response to the handler that asked; its id is the one that the handler gave.
struct pass_reply {
  hosted_call_id call = 0;
  message what;
  friend bool operator==(const pass_reply&, const pass_reply&) = default;
};

using hosted_effect = std::variant<send_client, start_call, cancel_call, pass_reply>;
using hosted_effects = std::vector<hosted_effect>;

/// Most resources that one client may subscribe to at a hosted server.
inline constexpr std::size_t hosted_subscriptions = 1000;

/// The conversation of one client with an MCP server whose tools, resources and prompts are functions of the host.
/// Answers everything that needs no handler. The offer may be another one at each call.
class hosted_server {
public:
  hosted_effects client_sent(const message& from, const hosted_offer& offer);
  /// A message of a handler: its answer, a notification, or a question for the client. Messages after the call's end
  /// are dropped, and so is progress that does not increase.
  hosted_effects call_said(hosted_call_id call, message what);
  /// A notification that belongs to no call: a list changed, or a resource was updated.
  hosted_effects server_said(message what) const;

  std::size_t calls_in_flight() const { return calls_.size(); }

private:
  struct call_under_way {
    /// The id that its client gave it.
    std::string id;
    std::optional<double> progress;
  };
  struct question {
    hosted_call_id call = 0;
    /// The id that the handler gave it.
    std::string id;
  };
  using method = void (hosted_server::*)(const message&, const hosted_offer&, hosted_effects&);
  static const std::map<std::string, method, std::less<>>& methods();

  // -- requests
  void take_request(const message& from, const hosted_offer& offer, hosted_effects& out);
  void initialize(const message& from, const hosted_offer& offer, hosted_effects& out);
  void ping(const message& from, const hosted_offer& offer, hosted_effects& out);
  void list(const message& from, const hosted_offer& offer, hosted_effects& out);
  void call_tool(const message& from, const hosted_offer& offer, hosted_effects& out);
  void get_prompt(const message& from, const hosted_offer& offer, hosted_effects& out);
  void read_resource(const message& from, const hosted_offer& offer, hosted_effects& out);
  void subscribe(const message& from, const hosted_offer& offer, hosted_effects& out);
  void unsubscribe(const message& from, const hosted_offer& offer, hosted_effects& out);
  void set_level(const message& from, const hosted_offer& offer, hosted_effects& out);
  void complete(const message& from, const hosted_offer& offer, hosted_effects& out);
  void start(const message& from, std::uint64_t item, hosted_call what, hosted_effects& out);

  // -- what else a client sends
  void take_notification(const message& from, hosted_effects& out);
  void take_response(const message& from, hosted_effects& out);

  // -- what handlers and the server say
  bool may_be_sent(call_under_way& in, const message& what) const;
  bool is_loud_enough(const message& what) const;
  void end(hosted_call_id call, hosted_effects& out);

  bool initialized_ = false;
  std::optional<severity> level_;
  std::set<std::string, std::less<>> subscriptions_;
  hosted_call_id last_call_ = 0;
  std::unordered_map<hosted_call_id, call_under_way> calls_;
  std::unordered_map<std::string, hosted_call_id> call_ids_;
  std::uint64_t last_question_ = 0;
  std::map<std::uint64_t, question> questions_;
};

} // namespace troupe::protocol
