#include "actors/upstream/era_adapter.hpp"

#include "net/crypto.hpp"
#include "protocol/text/base_encodings.hpp"

#include <variant>

namespace troupe::actors {

era_adapter::era_adapter(protocol::server_as_legacy_rules rules, server_transport& path, server_actor server)
    : path_{path}, server_{std::move(server)} {
  if (rules.era == protocol::server_era::session)
    return;
  rules.mark = protocol::hex(net::random_128());
  adapter_ = std::make_unique<protocol::server_as_legacy>(std::move(rules));
}

era_adapter::shown era_adapter::user_sent(protocol::message&& what, protocol::time_point now,
                                          protocol::envelope_of_user envelope) {
  if (adapter_)
    return carry_out(adapter_->user_sent(std::move(what), now, std::move(envelope)), now);
  shown result;
  if (auto refused = path_.pass(std::move(what)))
    result.push_back(protocol::deliver_to_user{std::move(*refused)});
  return result;
}

era_adapter::shown era_adapter::server_lost(protocol::time_point now, bool is_shortage, const std::string& why) {
  return adapter_ ? carry_out(adapter_->server_lost(now, is_shortage, why), now) : shown{};
}

era_adapter::shown era_adapter::tick(protocol::time_point now) {
  return adapter_ ? carry_out(adapter_->tick(now), now) : shown{};
}

/// Each message that the server did not get is a further fact.
era_adapter::shown era_adapter::carry_out(protocol::adapter_effects effects, protocol::time_point now) {
  for (auto& effect : effects)
    std::visit([this](auto& one) { apply(one); }, effect);
  while (!refused_.empty())
    for (auto& what : std::exchange(refused_, {}))
      for (auto& effect : adapter_->server_sent(std::move(what), now))
        std::visit([this](auto& one) { apply(one); }, effect);
  if (adapter_->is_transparent())
    adapter_.reset();
  return std::exchange(shown_, {});
}

void era_adapter::apply(protocol::deliver_to_server& effect) {
  if (auto refused = path_.pass(std::move(effect.what)))
    refused_.push_back(std::move(*refused));
}

void era_adapter::apply(const protocol::note_era& effect) {
  path_.note(protocol::line_of(effect));
  caf::anon_send(server_, server_era_detected{effect.is, !effect.doubt.empty()});
}

} // namespace troupe::actors
