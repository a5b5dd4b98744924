// Requests to servers, each under an id of ours, and what becomes of their answers.

#include "protocol/catalog/catalog.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

/// Sends a request, or lets it wait until its server is initialised. Gives our id of it.
std::uint64_t catalog::ask(catalog_member& to, message what, member_call how, effects& out) {
  auto own = ++last_id_;
  auto id = std::to_string(own);
  what = relayed(std::move(what), id, id);
  auto at_once = to.is == catalog_member::phase::ready || how.why == reason::greeting;
  asked_.emplace(own, std::move(how));
  if (at_once) {
    out.push_back(tell_member{to.id(), std::move(what)});
    return own;
  }
  to.waiting.push_back(std::move(what));
  greet(to, out);
  return own;
}

/// Lets one server answer a request of the client.
void catalog::call(catalog_member& to, message what, result_shape shape, effects& out) {
  member_call how{to.id(), reason::call, what.id, what.reference, shape};
  auto& call = calls_[what.id];
  call.what = {};
  call.own_ids = {ask(to, std::move(what), std::move(how), out)};
}

/// Nobody waits for the answer any more.
void catalog::withdraw(std::uint64_t own_id, const message& cancelled, effects& out) {
  auto asked = asked_.extract(own_id);
  auto server = asked ? find_leaving_too(asked.mapped().server) : nullptr;
  if (!server)
    return;
  auto id = std::to_string(own_id);
  if (std::erase_if(server->waiting, [&](const message& one) { return one.id == id; }) == 0)
    out.push_back(tell_member{server->id(), relayed(cancelled, {}, id)});
  let_go(server->id(), out);
}

void catalog::take_answer(std::uint64_t own_id, message from, effects& out) {
  auto node = asked_.extract(own_id);
  if (!node)
    return;
  auto& asked = node.mapped();
  switch (asked.why) {
  case reason::greeting:
    if (auto server = find(asked.server))
      take_greeting(*server, from, out);
    return;
  case reason::call:
    return take_call_answer(asked, std::move(from), out);
  case reason::page:
    return take_page(asked, own_id, std::move(from), out);
  case reason::late_page:
    return take_late_page(asked, from, out);
  case reason::read:
    return take_read_answer(asked, std::move(from), out);
  case reason::search:
    return take_search_page(asked, from, out);
  case reason::level:
    return;
  }
}

void catalog::take_call_answer(const member_call& asked, message from, effects& out) {
  calls_.erase(asked.client_id);
  if (auto server = find_leaving_too(asked.server))
    from = with_client_uris(*server, std::move(from), asked.shape);
  out.push_back(tell_client{relayed(std::move(from), asked.client_id, {})});
  let_go(asked.server, out);
}

/// Answers a request in its server's place.
void catalog::fail(std::uint64_t own_id, std::string_view why, effects& out) {
  take_answer(own_id, made(error_text(std::to_string(own_id), error_code::internal_error, why)), out);
}

/// Nothing more comes from a server: what it was asked fails, and what it asked is withdrawn. It may be asked anew
/// meanwhile, so that is done for what it had before; its greeting first, for whose sake the rest waits.
void catalog::abandon(std::uint64_t server, const std::string& why, effects& out) {
  if (auto member = find_leaving_too(server))
    member->is = catalog_member::phase::idle;
  std::vector<std::uint64_t> lost;
  for (auto& [own, asked] : asked_)
    if (asked.server == server)
      lost.insert(asked.why == reason::greeting ? lost.begin() : lost.end(), own);
  for (auto own : lost)
    fail(own, why, out);
  for (auto i = questions_.begin(); i != questions_.end();) {
    auto theirs = i->second.server == server;
    if (theirs)
      out.push_back(tell_client{made(cancelled_text(std::to_string(i->first), why))});
    i = theirs ? questions_.erase(i) : std::next(i);
  }
}

void catalog::refuse(const message& request, int code, std::string_view why, effects& out) const {
  out.push_back(tell_client{made(error_text(request.id, code, why))});
}

} // namespace troupe::protocol
