#include "protocol/catalog/member_questions.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace troupe::protocol {

void member_questions::ask(std::uint64_t server, message from, std::uint64_t own, catalog_effects& out) {
  assert(!is_full());
  auto id = std::to_string(own);
  questions_.emplace(own, question{server, from.id, from.reference});
  out.push_back(tell_client{relayed(std::move(from), id, id)});
}

void member_questions::answer(message from, catalog_effects& out) {
  auto own = own_id(from.id);
  auto asked = own ? questions_.extract(*own) : decltype(questions_)::node_type{};
  if (asked)
    out.push_back(tell_member{asked.mapped().server, relayed(std::move(from), asked.mapped().id, {})});
}

void member_questions::progress(message from, catalog_effects& out) const {
  auto own = own_id(from.reference);
  auto asked = own ? questions_.find(*own) : questions_.end();
  if (asked != questions_.end() && !asked->second.token.empty())
    out.push_back(tell_member{asked->second.server, relayed(std::move(from), {}, asked->second.token)});
}

void member_questions::withdraw(std::uint64_t server, message from, catalog_effects& out) {
  auto same = [&](auto& entry) { return entry.second.server == server && entry.second.id == from.reference; };
  auto found = std::find_if(questions_.begin(), questions_.end(), same);
  if (found == questions_.end())
    return;
  out.push_back(tell_client{relayed(std::move(from), {}, std::to_string(found->first))});
  questions_.erase(found);
}

void member_questions::withdraw_all(std::uint64_t server, const std::string& why, catalog_effects& out) {
  for (auto i = questions_.begin(); i != questions_.end();) {
    auto theirs = i->second.server == server;
    if (theirs)
      out.push_back(tell_client{made(cancelled_text(std::to_string(i->first), why))});
    i = theirs ? questions_.erase(i) : std::next(i);
  }
}

} // namespace troupe::protocol
