#include "actors/upstream/upstream_face.hpp"

#include "net/crypto.hpp"
#include "protocol/text/base_encodings.hpp"

#include <variant>

namespace troupe::actors {

upstream_face::upstream_face(protocol::server_as_legacy_rules rules, server_path& path, server_actor server)
    : path_{path}, server_{std::move(server)} {
  if (rules.era == protocol::server_era::session)
    return;
  rules.mark = protocol::hex(net::random_128());
  face_ = std::make_unique<protocol::server_as_legacy>(std::move(rules));
}

upstream_face::shown upstream_face::user_sent(protocol::message&& what, protocol::time_point now,
                                              protocol::envelope_of_user envelope) {
  if (face_)
    return carry_out(face_->user_sent(std::move(what), now, std::move(envelope)), now);
  shown result;
  if (auto refused = path_.pass(std::move(what)))
    result.push_back(protocol::show_user{std::move(*refused)});
  return result;
}

upstream_face::shown upstream_face::server_lost(protocol::time_point now, bool is_shortage, const std::string& why) {
  return face_ ? carry_out(face_->server_lost(now, is_shortage, why), now) : shown{};
}

upstream_face::shown upstream_face::tick(protocol::time_point now) {
  return face_ ? carry_out(face_->tick(now), now) : shown{};
}

/// Each message that the server did not get is a further fact.
upstream_face::shown upstream_face::carry_out(protocol::face_effects effects, protocol::time_point now) {
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

void upstream_face::apply(protocol::send_server& effect) {
  if (auto refused = path_.pass(std::move(effect.what)))
    refused_.push_back(std::move(*refused));
}

void upstream_face::apply(const protocol::note_era& effect) {
  path_.note(protocol::line_of(effect));
  caf::anon_send(server_, server_era_found{effect.is, !effect.doubt.empty()});
}

} // namespace troupe::actors
