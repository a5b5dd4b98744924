#pragma once

// A sheet of `messages.hpp`, which includes it: what is said to find out who asks.

#include "actors/messages.hpp"
#include "protocol/access/token_verdict.hpp"

namespace troupe::actors {

// -- authenticator -> visitor ---------------------------------------------------------------

/// Who has shown the token, if that could be found out.
struct token_judged {
  protocol::token_verdict verdict;
};

/// VISITOR: an exchange whose client nobody knows yet.
using visitor_actor = caf::typed_actor<caf::reacts_to<token_judged>, caf::reacts_to<exchange_closed>>;

// -- visitor, http client -> authenticator ----------------------------------------------------

struct token_shown {
  std::string token;
  visitor_actor by;
  /// From where, see `protocol::token_turns`.
  std::string from = {};
};
/// Whether a token carries the signature that the question is about.
struct signature_judged {
  std::uint64_t question = 0;
  bool is_good = false;
};
/// What an issuer has answered to the question, or, without a number, one of its documents. Without a status, why
/// nothing.
struct document_fetched {
  std::uint64_t question = 0;
  int status = 0;
  std::string body;
  std::string why_not;
};

// -- token source -> upstream ------------------------------------------------------------------

// `whose` is that of the question.

/// The token to show from now on, and when to ask for another.
struct token_given {
  std::string whose;
  std::string text;
  protocol::time_point until;
};
/// There is none.
struct token_refused {
  std::string whose;
  std::string why;
};

/// Who shows a server tokens.
using token_user_actor = caf::typed_actor<caf::reacts_to<token_given>, caf::reacts_to<token_refused>>;

// -- upstream, http client -> token source -----------------------------------------------------

/// Asks for a token for the server: whoever uses that is `caller`, null for nobody in particular. It is for requests
/// that came with credentials that allow what his do, see `protocol::whose_requests`; if `whose` is empty, for what is
/// done for him without being asked. The server has refused the `stale` one.
struct token_wanted {
  protocol::caller caller;
  std::string whose;
  std::string stale;
  token_user_actor by;
};

/// TOKEN SOURCE: fetches the tokens that one remote server is shown.
using token_source_actor =
    caf::typed_actor<caf::reacts_to<token_wanted>, caf::reacts_to<document_fetched>, caf::reacts_to<tick>>;

// -- authenticator -> registry -> session ------------------------------------------------------

/// The keys of these callers are none any more, see `protocol::identity_of`: nothing goes on that they have begun with
/// them.
struct callers_stale {
  std::vector<std::string> owners;
};
/// The session's caller has to come with other credentials.
struct caller_stale {};

// -- host -> registry --------------------------------------------------------------------------

/// Whether what the question is about may begin, or why not.
struct session_judged {
  std::uint64_t question = 0;
  std::optional<protocol::rejection> why_not;
};

/// Who owns an authenticator.
using credentials_owner_actor = caf::typed_actor<caf::reacts_to<callers_stale>>;

/// AUTHENTICATOR: finds out who shows a token.
using authenticator_actor = caf::typed_actor<caf::reacts_to<token_shown>, caf::reacts_to<signature_judged>,
                                             caf::reacts_to<document_fetched>, caf::reacts_to<tick>>;

} // namespace troupe::actors
