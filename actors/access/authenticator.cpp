#include "actors/access/authenticator.hpp"

#include "actors/runtime/calendar.hpp"
#include "net/crypto.hpp"
#include "protocol/access/access_key.hpp"
#include "protocol/grants/token_grant.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

namespace {

/// Interval at which the key file is checked.
constexpr std::chrono::seconds key_pause{1};

} // namespace

std::variant<protocol::key_table, std::string> read_keys(const net::watched_file::news& from, const std::string& path) {
  if (!from.why_not.empty())
    return from.why_not;
  auto read = protocol::read_key_file(from.text);
  if (auto* bad = std::get_if<protocol::bad_key_line>(&read))
    return "line " + std::to_string(bad->line) + " of '" + path + "': " + bad->why;
  return protocol::key_table{std::get<std::vector<protocol::access_key>>(read)};
}

authenticator_state::authenticator_state(pinned<interface>* self, net::io_thread& thread, credentials_owner_actor owner,
                                         authenticator_setup setup)
    : self_{self}, owner_{std::move(owner)}, setup_{std::move(setup)},
      client_{thread, setup_.tokens ? setup_.tokens->token.issuer : std::string{}, setup_.ca_file}, reminder_{
                                                                                                        self->at()} {
  self_->link_to(owner_);
  if (setup_.tokens)
    verifier_.emplace(*setup_.tokens);
  if (setup_.keys)
    look_at_ = self_->at().now() + key_pause;
}

authenticator_actor::behavior_type authenticator_state::make_behavior() {
  if (verifier_)
    carry_out(verifier_->begin(clocks()));
  remind();
  return {
      [this](token_presented& msg) {
        const auto digest = net::digest_256(msg.token);
        shown_[++last_ticket_] = {digest, std::move(msg.by)};
        carry_out(verifier_->shown(last_ticket_, {std::move(msg.token), digest, std::move(msg.from)}, clocks()));
      },
      [this](signature_verified& msg) { carry_out(verifier_->signature_checked(msg.question, msg.is_good, clocks())); },
      [this](document_fetched& msg) { handle(msg); },
      [this](tick&) {
        reminder_.arrived();
        check_keys();
        if (verifier_)
          carry_out(verifier_->tick(clocks()));
        remind();
      },
  };
}

void authenticator_state::check_keys() {
  if (self_->at().now() < look_at_)
    return;
  look_at_ = self_->at().now() + key_pause;
  auto news = setup_.keys->look();
  if (!news)
    return;
  auto keys = read_keys(*news, setup_.keys->path());
  if (auto* why = std::get_if<std::string>(&keys))
    return setup_.log(log_level::error, "the keys stay as they were", {{"why", *why}});
  auto& table = std::get<protocol::key_table>(keys);
  setup_.log(log_level::info, "keys changed", {{"keys", std::to_string(table.size())}});
  if (auto stale = setup_.credentials->change(std::move(table)); !stale.empty())
    self_->send(owner_, callers_revoked{std::move(stale)});
}

void authenticator_state::handle(document_fetched& msg) {
  auto is_good = msg.question == 0 ? msg.status == 200 : protocol::is_success(msg.status);
  auto why = msg.status == 0 ? msg.why_not : "it answers with the status " + std::to_string(msg.status);
  if (msg.question == 0)
    update_issuer(is_good ? verifier_->fetched(msg.body, clocks()) : verifier_->not_fetched(why, clocks()));
  else
    carry_out(is_good ? verifier_->introspected(msg.question, msg.body, clocks())
                      : verifier_->not_introspected(msg.question, why, clocks()));
  remind();
}

void authenticator_state::update_issuer(protocol::verifier_effects effects) {
  setup_.issuer_text->with([this](auto& text) { text = verifier_->metadata_text(); });
  carry_out(std::move(effects));
}

void authenticator_state::remind() {
  reminder_.set(self_->address(), verifier_ ? std::min(look_at_, verifier_->deadline()) : look_at_);
}

protocol::token_verifier::clocks authenticator_state::clocks() const { return {self_->at().now(), calendar_now()}; }

// -- effects -------------------------------------------------------------------------------

void authenticator_state::carry_out(protocol::verifier_effects effects) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { perform(one); }, effect);
}

void authenticator_state::perform(protocol::fetch_document& effect) {
  client_.fetch(std::move(effect.url), self_->address());
}

void authenticator_state::perform(protocol::introspect_token& effect) {
  net::http_fields fields{{"Content-Type", "application/x-www-form-urlencoded"},
                          {"Authorization", setup_.authorization}};
  client_.ask({"POST", std::move(effect.url), std::move(fields), std::move(effect.body)}, effect.question,
              self_->address());
}

/// Runs on a worker thread: verifying a signature would block the unit for too long.
void authenticator_state::perform(protocol::check_signature& effect) {
  auto question = effect.question;
  auto work = [self = self_->address(), what = std::move(effect)] {
    auto is_good = std::ranges::any_of(what.keys, [&](auto& key) { return net::is_signed_by(what.token, key.text); });
    send_if_alive(self, signature_verified{what.question, is_good});
  };
  if (setup_.checkers->post(std::move(work)) == 0)
    carry_out(verifier_->not_checked(question, clocks()));
}

/// Caches a valid token for some time, but never past its expiry.
void authenticator_state::perform(protocol::report_verdict& effect) {
  auto shown = shown_.extract(effect.ticket);
  auto& verdict = effect.verdict;
  if (verdict.is == protocol::token_verdict::kind::good) {
    auto now = self_->at().now();
    auto until = now + verdict.keep;
    if (auto end = protocol::good_until(*verdict.who))
      until = std::min(until, time_of(*end, now));
    setup_.credentials->add(shown.mapped().digest, verdict.who, until);
  }
  self_->send(shown.mapped().by, token_checked{std::move(verdict)});
}

} // namespace troupe::actors
