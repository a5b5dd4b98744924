#pragma once

#include "actors/access/issuer_client.hpp"
#include "actors/access/known_credentials.hpp"
#include "actors/access_messages.hpp"
#include "actors/runtime/event_log.hpp"
#include "actors/runtime/pinned.hpp"
#include "net/guarded.hpp"
#include "net/watched_file.hpp"
#include "net/worker_pool.hpp"
#include "protocol/access/token_verifier.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace troupe::actors {

/// Parameters of an authenticator.
struct authenticator_setup {
  /// Receives the results.
  std::shared_ptr<known_credentials> credentials;
  /// Key file, already read once; empty without keys.
  std::optional<net::watched_file> keys;
  /// Rules for tokens; empty without an issuer.
  std::optional<protocol::token_verifier::rules> tokens;
  /// Receives a copy of the issuer's metadata.
  std::shared_ptr<net::guarded<std::string>> issuer_text;
  /// Threads that verify signatures; they outlive the actor.
  net::worker_pool* checkers = nullptr;
  /// Value of `Authorization` for token introspection at the issuer.
  std::string authorization;
  /// Certificates that may sign the issuer's, besides the system's; empty for none.
  std::string ca_file;
  event_log log;
};

/// Parses the keys; otherwise returns why they cannot be used, in one line.
std::variant<protocol::key_table, std::string> read_keys(const net::watched_file::news& from, const std::string& path);

/// AUTHENTICATOR: verifies tokens, and follows changes of the key file and of the issuer's keys. Stores the results in
/// `known_credentials`, where brokers look them up.
class authenticator_state {
public:
  using interface = authenticator_actor;
  static constexpr const char* name = "authenticator";

  /// `thread` is that of the actor's unit. Ends with its owner.
  authenticator_state(pinned<interface>* self, net::io_thread& thread, credentials_owner_actor owner,
                      authenticator_setup setup);
  interface::behavior_type make_behavior();

private:
  void check_keys();
  void handle(document_fetched& msg);
  void update_issuer(protocol::verifier_effects effects);
  void remind();
  protocol::token_verifier::clocks clocks() const;

  void carry_out(protocol::verifier_effects effects);
  void perform(protocol::fetch_document& effect);
  void perform(protocol::introspect_token& effect);
  void perform(protocol::check_signature& effect);
  void perform(protocol::report_verdict& effect);
  void perform(protocol::log_note& effect) { write(setup_.log, effect); }

  struct presented_token {
    protocol::credential_digest digest;
    pending_exchange_actor by;
  };

  pinned<interface>* self_;
  credentials_owner_actor owner_;
  authenticator_setup setup_;
  std::optional<protocol::token_verifier> verifier_;
  issuer_client client_;
  reminder reminder_;
  std::uint64_t last_ticket_ = 0;
  std::map<std::uint64_t, presented_token> shown_;
  protocol::time_point look_at_ = protocol::time_point::max();
};

using authenticator = actor_of<authenticator_state>;

} // namespace troupe::actors
