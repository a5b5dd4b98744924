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

/// Requests that the face makes of the server itself. Their ids are strings, which those of clients' calls never are.
class face_requests {
public:
  /// What the answer means.
  enum class purpose { initialize, tools_page, log_level, task_status, task_result, task_end };
  struct asked {
    purpose is;
    /// The call that it is about; 0 when about none.
    exchange_id call = 0;
  };

  /// Which request of the caller leads to what is asked from now on.
  void ask_for(const message& request);
  /// `params` is a JSON object.
  void ask(asked what, std::string_view method, std::string_view params, stateless_effects& out);
  /// What an answer is to; nothing when it answers none of these.
  std::optional<asked> take(const message& answer);
  /// No answer will come any more.
  void clear() { under_way_.clear(); }

private:
  std::uint64_t last_ = 0;
  std::map<std::string, asked, std::less<>> under_way_;
  std::shared_ptr<const principal> asker_;
  std::shared_ptr<const request_trace> trace_;
};

/// How a server of the session era begins: `initialize`, once somebody needs it, and what it answered.
class face_start {
public:
  /// Asks the server, unless that was done.
  void begin(const client_profile& can, std::string_view gateway_version, face_requests& ours, stateless_effects& out);
  /// The answer to `initialize`. Why the server cannot be used; nothing when it can.
  std::optional<std::string> take_answer(const message& answer, stateless_effects& out);
  /// The server has to be asked again.
  void server_lost();

  bool is_ready() const { return is_ == phase::ready; }
  /// Whether the server is of 2026-07-28 itself, and takes requests as they are.
  bool is_modern() const { return is_modern_; }
  bool has_tools() const { return has_tools_; }
  bool has_logging() const { return has_logging_; }
  /// The server's, a JSON object.
  const std::string& capabilities() const { return capabilities_; }
  /// The server's, a JSON object; empty when it gave none.
  const std::string& server_info() const { return server_info_; }
  /// The result of `server/discover`.
  give_answer discovery(exchange_id exchange, const message& request) const;

private:
  enum class phase { none, asked, ready };

  phase is_ = phase::none;
  std::string capabilities_ = "{}";
  std::string server_info_;
  /// A JSON string; empty when it gave none.
  std::string instructions_;
  bool is_modern_ = false;
  bool has_tools_ = false;
  bool has_logging_ = false;
};

} // namespace troupe::protocol
