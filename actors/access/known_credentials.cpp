#include "actors/access/known_credentials.hpp"

#include "actors/runtime/calendar.hpp"
#include "net/digest.hpp"

#include <utility>

namespace troupe::actors {

known_credentials::finding known_credentials::find(std::string_view secret, protocol::time_point now) {
  const auto digest = net::digest_256(secret);
  auto key = keys_.with([&](auto& all) { return all.find(digest, calendar_now()); });
  if (auto* who = std::get_if<protocol::caller>(&key))
    return std::move(*who);
  if (secret.starts_with(protocol::key_prefix))
    return std::move(std::get<std::string>(key));
  auto who = tokens_.with([&](auto& all) { return all.find(digest, now); });
  // A machine that slept has another time than its clock of seconds passed.
  if (auto end = who ? protocol::good_until(*who) : std::nullopt; !who || (end && calendar_now() >= *end))
    return not_known{};
  return who;
}

std::vector<std::string> known_credentials::change(protocol::key_table keys) {
  return keys_.with([&](auto& all) {
    auto stale = keys.stale_since(all);
    all = std::move(keys);
    return stale;
  });
}

void known_credentials::add(const protocol::credential_digest& of_token, protocol::caller who,
                            protocol::time_point until) {
  tokens_.with([&](auto& all) { all.add(of_token, std::move(who), until); });
}

} // namespace troupe::actors
