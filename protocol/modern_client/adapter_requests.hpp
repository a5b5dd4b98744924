#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Requests that the gateway itself makes to a lease's server. Their ids are strings; those of clients' calls are not.
class adapter_requests {
public:
  /// Purpose of a request, which decides how its answer is read.
  enum class purpose { initialize, tools_page, log_level, task_status, task_result, task_end };
  struct asked {
    purpose is;
    /// Call that the request is about; 0 if none.
    exchange_id call = 0;
  };

  /// Makes the following requests on behalf of the caller of `request`.
  void ask_for(const message& request);
  /// Sends a request; `params` is a JSON object.
  void ask(asked what, std::string_view method, std::string_view params, stateless_effects& out);
  /// Returns the request that an answer belongs to; empty if it is none of these.
  std::optional<asked> extract(const message& answer);
  /// Forgets all requests: no answer will arrive.
  void clear() { under_way_.clear(); }

private:
  std::uint64_t last_ = 0;
  std::map<std::string, asked, std::less<>> under_way_;
  std::shared_ptr<const principal> requester_;
  std::shared_ptr<const request_trace> trace_;
};

/// Initialization of a session-era server: `initialize`, sent on demand, and its answer.
class server_initialization {
public:
  /// Sends `initialize`, unless that was done.
  void begin(const client_profile& can, std::string_view gateway_version, adapter_requests& ours,
             stateless_effects& out);
  /// Takes the answer to `initialize`. Returns why the server cannot be used; empty if it can.
  std::optional<std::string> receive_response(const message& answer, stateless_effects& out);
  /// Resets the state: the next server has to be initialized.
  void server_lost();

  bool is_ready() const { return is_ == phase::ready; }
  /// True if the server is stateless (2026-07-28) itself and takes requests unchanged.
  bool is_modern() const { return is_modern_; }
  bool has_tools() const { return has_tools_; }
  bool has_logging() const { return has_logging_; }
  /// Server's `capabilities`, a JSON object.
  const std::string& capabilities() const { return capabilities_; }
  /// Server's `serverInfo`, a JSON object; empty if it gave none.
  const std::string& server_info() const { return server_info_; }
  /// Returns the result of `server/discover`.
  send_response discovery(exchange_id exchange, const message& request) const;

private:
  enum class phase { none, asked, ready };

  phase is_ = phase::none;
  std::string capabilities_ = "{}";
  std::string server_info_;
  /// A JSON string; empty if the server gave none.
  std::string instructions_;
  bool is_modern_ = false;
  bool has_tools_ = false;
  bool has_logging_ = false;
};

} // namespace troupe::protocol
