#include "actors/upstream/faced_wire.hpp"

#include "net/random.hpp"
#include "protocol/text/hex.hpp"

#include <variant>

namespace troupe::actors {

faced_wire::faced_wire(starter start, server_actor server, bool is_modern)
    : start_{std::move(start)}, wire_{start_()}, server_{std::move(server)} {
  if (wire_->era() != protocol::server_era::session)
    face_ = std::make_unique<protocol::session_face>(
        protocol::session_face_rules{wire_->era(), is_modern, wire_->server_name(), protocol::hex(net::random_128())});
}

std::vector<protocol::show_user> faced_wire::write(protocol::message&& what, protocol::time_point now) {
  if (face_)
    return carry_out(face_->user_sent(std::move(what), now), now);
  std::vector<protocol::show_user> result;
  if (auto refused = wire_->write(std::move(what)))
    result.push_back(protocol::show_user{std::move(*refused)});
  return result;
}

std::vector<protocol::show_user> faced_wire::lost(protocol::time_point now, bool is_shortage) {
  lost_ = true;
  return face_ ? carry_out(face_->server_lost(now, is_shortage), now) : std::vector<protocol::show_user>{};
}

std::vector<protocol::show_user> faced_wire::tick(protocol::time_point now) {
  return face_ ? carry_out(face_->tick(now), now) : std::vector<protocol::show_user>{};
}

/// What the child does not read is a further fact.
std::vector<protocol::show_user> faced_wire::carry_out(protocol::face_effects effects, protocol::time_point now) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { apply(one); }, effect);
  while (!refused_.empty())
    for (auto& what : std::exchange(refused_, {}))
      for (auto& effect : face_->server_sent(std::move(what), now))
        std::visit([this](auto& one) { apply(one); }, effect);
  if (face_->is_transparent())
    face_.reset();
  return std::exchange(shown_, {});
}

void faced_wire::apply(protocol::send_server& effect) {
  if (auto refused = wire_->write(std::move(effect.what)))
    refused_.push_back(std::move(*refused));
}

void faced_wire::apply(const protocol::start_again&) {
  wire_.reset();
  wire_ = start_();
  lost_ = false;
}

void faced_wire::apply(const protocol::note_era& effect) {
  caf::anon_send(server_, server_era_found{effect.is_modern});
}

} // namespace troupe::actors
