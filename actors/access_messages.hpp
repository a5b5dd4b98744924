#pragma once

// A message header, see `messages.hpp`: authentication of callers and tokens for servers.

#include "actors/messages.hpp"
#include "protocol/access/principal.hpp"
#include "protocol/access/token_verdict.hpp"
#include "protocol/rejection.hpp"
#include "protocol/time.hpp"

#include <caf/all.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::actors {

// -- authenticator -> pending exchange ---------------------------------------------------------------

/// Verdict on a token: the caller that sent it, if known.
struct token_checked {
  protocol::token_verdict verdict;
};

/// PENDING_EXCHANGE: an exchange whose client is not authenticated yet.
using pending_exchange_actor = caf::typed_actor<caf::reacts_to<token_checked>, caf::reacts_to<exchange_closed>>;

// -- pending exchange, http client -> authenticator ----------------------------------------------------

struct token_presented {
  std::string token;
  pending_exchange_actor by;
  /// Address of the sender, see `protocol::token_turns`.
  std::string from = {};
};
/// Whether the signature of the token in question is valid.
struct signature_verified {
  std::uint64_t question = 0;
  bool is_good = false;
};
/// Answer of an issuer to the question, or, without a number, one of its documents. Without a status, `why_not` says
/// why it failed.
struct document_fetched {
  std::uint64_t question = 0;
  int status = 0;
  std::string body;
  std::string why_not;
};

// -- token source -> upstream ------------------------------------------------------------------

// `whose` is copied from the question.

/// Token to send from now on, and the time at which to ask for the next.
struct token_given {
  std::string whose;
  std::string text;
  protocol::time_point until;
};
/// No token is available.
struct token_refused {
  std::string whose;
  std::string why;
};

/// User of tokens for a server.
using token_user_actor = caf::typed_actor<caf::reacts_to<token_given>, caf::reacts_to<token_refused>>;

// -- upstream, http client -> token source -----------------------------------------------------

/// Asks for a token for the server on behalf of `caller`, null if anonymous. The token is for requests whose
/// credentials allow the same as the caller's, see `protocol::token_key`. If `whose` is empty, the token is for
/// requests that the gateway sends for the caller by itself. The server has refused the token `stale`.
struct token_request {
  protocol::caller caller;
  std::string whose;
  std::string stale;
  token_user_actor by;
};

/// TOKEN SOURCE: fetches the tokens for one remote server.
using token_source_actor =
    caf::typed_actor<caf::reacts_to<token_request>, caf::reacts_to<document_fetched>, caf::reacts_to<tick>>;

// -- authenticator -> registry -> session ------------------------------------------------------

/// The keys of these callers are no longer valid, see `protocol::identity_of`: everything that they have begun with
/// these keys ends.
struct callers_revoked {
  std::vector<std::string> owners;
};
/// The session's caller must authenticate again with other credentials.
struct caller_revoked {};

// -- host -> registry --------------------------------------------------------------------------

/// Verdict of the host: the session in question may begin, or the reason why not.
struct session_decided {
  std::uint64_t question = 0;
  std::optional<protocol::rejection> why_not;
};

/// Owner of an authenticator.
using credentials_owner_actor = caf::typed_actor<caf::reacts_to<callers_revoked>>;

/// AUTHENTICATOR: finds out which caller a token belongs to.
using authenticator_actor = caf::typed_actor<caf::reacts_to<token_presented>, caf::reacts_to<signature_verified>,
                                             caf::reacts_to<document_fetched>, caf::reacts_to<tick>>;

} // namespace troupe::actors

// clang-format off
#define TROUPE_ACCESS_MESSAGES(each) \
  each(token_checked) each(token_presented) each(signature_verified) each(document_fetched) each(token_given) \
  each(token_refused) each(token_request) each(callers_revoked) each(caller_revoked) each(session_decided)
// clang-format on

namespace caf {

TROUPE_ACCESS_MESSAGES(TROUPE_STAYS_HERE)

} // namespace caf
