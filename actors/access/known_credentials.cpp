#include "actors/access/known_credentials.hpp"

#include "actors/runtime/calendar.hpp"
#include "actors/troupe/access_key.hpp"
#include "net/crypto.hpp"
#include "protocol/access/access_key.hpp"
#include "protocol/access/token_claims.hpp"
#include "protocol/text/base_encodings.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace troupe {

made_key make_access_key() {
  made_key result;
  result.secret =
      std::string{protocol::key_prefix} + protocol::hex(net::random_128()) + protocol::hex(net::random_128());
  result.hash = net::digest_hex(result.secret);
  return result;
}

namespace actors {

/// Reads the version first: if the keys change meanwhile, the result found with the old ones does not match again.
known_credentials::finding known_credentials::find(std::string_view secret, protocol::time_point now,
                                                   std::size_t unit) {
  const auto version = version_.load();
  auto& recent = recent_at(secret, unit);
  if (auto who = recent.with([&](auto& one) { return one.find(secret, version, now, calendar_now()); }))
    return who;
  auto found = look_up(secret, now);
  if (auto* who = std::get_if<protocol::caller>(&found.what)) {
    auto own = std::make_shared<const protocol::principal>(**who); // a copy: units share no reference count
    recent.with([&](auto& one) { one.put(secret, std::move(own), version, found.until); });
  }
  return std::move(found.what);
}

known_credentials::recent& known_credentials::recent_at(std::string_view secret, std::size_t unit) {
  constexpr std::size_t end = 16; // the end of a key is random, the end of a token is its signature
  auto hash = std::hash<std::string_view>{}(secret.substr(secret.size() - std::min(secret.size(), end)));
  return recent_[(hash + unit) % recent_.size()];
}

known_credentials::lasting_finding known_credentials::look_up(std::string_view secret, protocol::time_point now) {
  const auto digest = net::digest_256(secret);
  auto key = keys_.with([&](auto& all) { return all.find(digest, calendar_now()); });
  if (auto* who = std::get_if<protocol::caller>(&key))
    return {std::move(*who), protocol::time_point::max()};
  if (secret.starts_with(protocol::key_prefix))
    return {std::move(std::get<std::string>(key))};
  if (secret.size() > protocol::longest_token)
    return {"the token is too long"};
  if (!takes_tokens_)
    return {"the key is not known"};
  auto token = tokens_.with([&](auto& all) { return all.find(digest, now); });
  // Checks the calendar, too: the steady clock may have stood still while the machine slept.
  auto end = token.who ? protocol::good_until(*token.who) : std::nullopt;
  if (!token.who || (end && calendar_now() >= *end))
    return {not_known{}};
  return {std::move(token.who), token.until};
}

std::optional<std::variant<protocol::caller, std::string>> known_credentials::find_key(std::string_view name) {
  return keys_.with([&](auto& all) { return all.find_named(name, calendar_now()); });
}

std::vector<std::string> known_credentials::change(protocol::key_table keys) {
  auto stale = keys_.with([&](auto& all) {
    auto result = keys.stale_since(all);
    all = std::move(keys);
    ++version_;
    return result;
  });
  for (auto& one : recent_)
    one.with([](auto& secret) { secret.forget(); });
  return stale;
}

void known_credentials::add(const protocol::credential_digest& of_token, protocol::caller who,
                            protocol::time_point until) {
  tokens_.with([&](auto& all) { all.add(of_token, std::move(who), until); });
}

} // namespace actors

} // namespace troupe
