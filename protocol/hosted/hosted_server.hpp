#pragma once

#include "protocol/hosted/hosted_offer.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/message/severity.hpp"
#include "protocol/time.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Number of a handler call; unique within a session.
using hosted_call_id = std::uint64_t;

/// Call of a handler of a hosted server.
struct hosted_call {
  enum class kind { tool, prompt, resource, completion };
  kind is = kind::tool;
  /// Number of the tool, prompt, resource or template; 0 for a completion.
  std::uint64_t item = 0;
  /// Request's id and progress token, JSON tokens; empty token when the client requests no progress.
  std::string id = {};
  std::string token = {};
  /// Name of the tool or prompt, or URI of the resource.
  std::string name = {};
  /// Arguments of a tool or prompt, variables of a resource's template, or a completion's whole params.
  boost::json::object arguments = {};
  /// MIME type of a resource, or description of a prompt.
  std::string about = {};

  friend bool operator==(const hosted_call&, const hosted_call&) = default;
};

// Decisions of a hosted server, carried out by its actor in order.

/// Send a message to the client.
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

/// Notify a handler that the client cancelled its call.
struct cancel_call {
  hosted_call_id call = 0;
  friend bool operator==(const cancel_call&, const cancel_call&) = default;
};

/// Pass the client's response to the handler that sent the request; the id is the handler's own.
struct pass_reply {
  hosted_call_id call = 0;
  message what;
  friend bool operator==(const pass_reply&, const pass_reply&) = default;
};

using hosted_effect = std::variant<send_client, start_call, cancel_call, pass_reply>;
using hosted_effects = std::vector<hosted_effect>;

/// Maximum number of resource subscriptions per client of a hosted server.
inline constexpr std::size_t hosted_subscriptions = 1000;

/// Session of one client with an MCP server whose tools, resources and prompts are functions of the host program.
/// Answers every request that needs no handler. The offer may differ from call to call.
class hosted_server {
public:
  hosted_effects client_sent(const message& from, const hosted_offer& offer);
  /// Handles a message of a handler: its answer, a notification, or a request to the client. Drops messages after the
  /// call's end and progress that does not increase.
  hosted_effects call_said(hosted_call_id call, message what);
  /// Handles a notification that belongs to no call: a list changed, or a resource was updated.
  hosted_effects receive_from_server(message what) const;

  std::size_t calls_in_flight() const { return calls_.size(); }

private:
  struct call_under_way {
    /// Client's request id.
    std::string id;
    std::optional<double> progress = {};
    /// Handlers may take any time.
    static constexpr time_point deadline = time_point::max();
    static constexpr std::optional<std::uint64_t> requester() { return 0; }
  };
  using method = void (hosted_server::*)(const message&, const hosted_offer&, hosted_effects&);
  static const std::map<std::string, method, std::less<>>& methods();

  // -- requests
  void receive_request(const message& from, const hosted_offer& offer, hosted_effects& out);
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

  // -- notifications and responses of a client
  void receive_notification(const message& from, hosted_effects& out);
  void receive_response(const message& from, hosted_effects& out);

  // -- messages of handlers and of the server
  bool may_be_sent(call_under_way& in, const message& what) const;
  bool is_loud_enough(const message& what) const;
  void end(hosted_call_id call, hosted_effects& out);

  bool initialized_ = false;
  std::optional<severity> level_;
  std::set<std::string, std::less<>> subscriptions_;
  request_table<call_under_way> calls_;
  /// Requests of handlers; the asker of each is a call.
  server_question_table questions_;
};

} // namespace troupe::protocol
