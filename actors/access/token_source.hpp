#pragma once

#include "actors/access/caller_tokens.hpp"
#include "actors/access/issuer_client.hpp"
#include "actors/access_messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "protocol/grants/server_tokens.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace troupe::actors {

/// Parameters of a token source.
struct token_source_setup {
  std::string server_name;
  protocol::grant_rules grant;
  /// Certificates that may sign the authorization server's, besides the system's; empty for none.
  std::string ca_file;
  /// Callers' tokens, for the exchange.
  std::shared_ptr<caller_tokens> callers;
  event_log log;
};

/// TOKEN SOURCE: fetches and keeps the tokens for one remote server. Owned by the SERVER. After an orderly end of the
/// SERVER it ends with its last upstream, on any thread.
class token_source_state {
public:
  using interface = token_source_actor;
  static constexpr const char* name = "token_source";

  /// `thread` is that of the actor's unit.
  token_source_state(pinned<interface>* self, net::io_thread& thread, token_source_setup setup);
  interface::behavior_type make_behavior();

private:
  void want(token_request& msg);
  void handle(const document_fetched& msg);
  protocol::time_point now() const { return self_->at().now(); }

  void carry_out(protocol::grant_effects effects);
  void perform(protocol::fetch_metadata& effect);
  void perform(protocol::request_token& effect);
  void perform(protocol::deliver_token& effect);
  void perform(protocol::report_no_token& effect);
  void perform(protocol::log_note& effect);

  struct waiting_user {
    caf::actor_addr address;
    std::string whose;
  };

  pinned<interface>* self_;
  token_source_setup setup_;
  protocol::server_tokens machine_;
  issuer_client client_;
  reminder reminder_;
  std::uint64_t last_ticket_ = 0;
  /// Waiting users, by ticket. Addresses, no handles: users that have ended need no token.
  std::map<std::uint64_t, waiting_user> waiting_;
};

using token_source = actor_of<token_source_state>;

} // namespace troupe::actors
