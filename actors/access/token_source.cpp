#include "actors/access/token_source.hpp"

#include <utility>
#include <variant>

namespace troupe::actors {

token_source_state::token_source_state(pinned<interface>* self, net::io_thread& thread, token_source_setup setup)
    : self_{self}, setup_{std::move(setup)}, machine_{setup_.grant},
      client_{thread, setup_.grant.issuer.empty() ? setup_.grant.endpoint : setup_.grant.issuer, setup_.ca_file},
      reminder_{self->at()} {}

token_source_actor::behavior_type token_source_state::make_behavior() {
  return {
      [this](token_request& msg) { want(msg); },
      [this](document_fetched& msg) { handle(msg); },
      [this](tick&) {
        reminder_.arrived();
        carry_out(machine_.tick(now()));
      },
  };
}

/// Only exchanged tokens differ by caller, and by the scopes of the caller's token. A request never gets a token that
/// was exchanged for one with other scopes.
void token_source_state::want(token_request& msg) {
  protocol::wanted_token what{.stale = std::move(msg.stale)};
  if (setup_.grant.is == protocol::grant_rules::kind::token_exchange) {
    auto shown = msg.whose.empty() ? setup_.callers->last(msg.caller, now()) : setup_.callers->find(msg.caller, now());
    what.owner =
        protocol::identity_of(msg.caller) + (msg.whose.empty() ? shown.scopes : protocol::scopes_key(*msg.caller));
    what.subject = std::move(shown.text);
    what.subject_until = shown.until;
    if (what.subject.empty())
      what.why_no_subject = protocol::why_no_subject_token(msg.caller);
  }
  waiting_.emplace(++last_ticket_, waiting_user{msg.by.address(), std::move(msg.whose)});
  carry_out(machine_.wanted(last_ticket_, std::move(what), now()));
}

void token_source_state::handle(const document_fetched& msg) {
  auto is_document = msg.question == 0;
  if (msg.status == 0)
    return carry_out(is_document ? machine_.document_failed(msg.why_not, now())
                                 : machine_.failed(msg.question, msg.why_not, now()));
  if (!is_document)
    return carry_out(machine_.answered(msg.question, msg.status, msg.body, now()));
  auto why = "its metadata is answered with HTTP " + std::to_string(msg.status);
  carry_out(msg.status == 200 ? machine_.document_fetched(msg.body, now()) : machine_.document_failed(why, now()));
}

// -- effects -------------------------------------------------------------------------------

void token_source_state::carry_out(protocol::grant_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
  reminder_.set(self_->address(), machine_.deadline());
}

void token_source_state::perform(protocol::fetch_metadata& effect) {
  client_.fetch(std::move(effect.url), self_->address());
}

void token_source_state::perform(protocol::request_token& effect) {
  client_.ask({"POST", std::move(effect.url), std::move(effect.fields), std::move(effect.form)}, effect.question,
              self_->address());
}

void token_source_state::perform(protocol::deliver_token& effect) {
  auto who = waiting_.extract(effect.ticket);
  if (auto alive = caf::actor_cast<token_user_actor>(who.mapped().address))
    self_->send(alive, token_given{std::move(who.mapped().whose), std::move(effect.text), effect.until});
}

void token_source_state::perform(protocol::report_no_token& effect) {
  auto who = waiting_.extract(effect.ticket);
  if (auto alive = caf::actor_cast<token_user_actor>(who.mapped().address))
    self_->send(alive, token_refused{std::move(who.mapped().whose), std::move(effect.why)});
}

void token_source_state::perform(protocol::log_note& effect) {
  effect.facts.emplace_back("server", setup_.server_name);
  write(setup_.log, effect);
}

} // namespace troupe::actors
