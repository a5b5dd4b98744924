#include "protocol/catalog/member_questions.hpp"

#include "protocol/message/same_id.hpp"

#include <cassert>
#include <string>
#include <utility>

namespace troupe::protocol {

void member_questions::ask(std::uint64_t server, message from, std::uint64_t own, catalog_effects& out) {
  assert(!is_full());
  // Ids are counted where the requests to servers are.
  questions_.count_from(own - 1);
  questions_.add({server, from.id, from.reference});
  auto id = std::to_string(own);
  out.push_back(tell_client{relayed(std::move(from), id, id)});
}

void member_questions::answer(message from, catalog_effects& out) {
  auto own = own_id(from.id);
  auto asked = own ? questions_.take(*own) : std::nullopt;
  if (asked)
    out.push_back(tell_member{asked->server, relayed(std::move(from), asked->id, {})});
}

void member_questions::progress(message from, catalog_effects& out) const {
  auto own = own_id(from.reference);
  auto asked = own ? questions_.find(*own) : nullptr;
  if (asked && !asked->token.empty())
    out.push_back(tell_member{asked->server, relayed(std::move(from), {}, asked->token)});
}

void member_questions::withdraw(std::uint64_t server, message from, catalog_effects& out) {
  auto same = questions_.those([&](auto& one) { return one.server == server && same_id(one.id, from.reference); });
  if (same.empty())
    return;
  questions_.take(same.front());
  out.push_back(tell_client{relayed(std::move(from), {}, std::to_string(same.front()))});
}

void member_questions::withdraw_all(std::uint64_t server, const std::string& why, catalog_effects& out) {
  for (auto own : questions_.those([&](auto& one) { return one.server == server; })) {
    questions_.take(own);
    out.push_back(tell_client{own_message(cancelled_text(std::to_string(own), why))});
  }
}

} // namespace troupe::protocol
