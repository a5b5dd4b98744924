#include "protocol/access/credential_lookup.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

std::byte digit_value(char digit) { return static_cast<std::byte>(digit <= '9' ? digit - '0' : digit - 'a' + 10); }

credential_digest digest_of(const access_key& key) {
  credential_digest result;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = digit_value(key.hash[2 * i]) << 4U | digit_value(key.hash[2 * i + 1]);
  return result;
}

std::string_view bytes_of(const credential_digest& one) {
  return {reinterpret_cast<const char*>(one.data()), one.size()};
}

} // namespace

bool key_table::same_digest::operator()(const credential_digest& one, const credential_digest& other) const {
  return same_secret(bytes_of(one), bytes_of(other));
}

key_table::key_table(const std::vector<access_key>& keys) {
  for (auto& key : keys) {
    principal who{.issuer = key_issuer, .subject = key.name, .scopes = key.scopes, .expires = key.expires};
    all_.emplace(digest_of(key), std::make_shared<const principal>(std::move(who)));
  }
}

std::vector<std::string> key_table::stale_since(const key_table& before) const {
  std::vector<std::string> result;
  for (auto& [digest, who] : before.all_)
    if (auto now = all_.find(digest); now == all_.end() || *now->second != *who)
      result.push_back(identity_of(*who));
  return result;
}

namespace {

std::variant<caller, std::string> unless_expired(const caller& who, calendar_time now) {
  if (who->expires && now >= *who->expires)
    return "the key has expired";
  return who;
}

} // namespace

std::variant<caller, std::string> key_table::find(const credential_digest& of_key, calendar_time now) const {
  auto found = all_.find(of_key);
  if (found == all_.end())
    return "the key is not known";
  return unless_expired(found->second, now);
}

std::optional<std::variant<caller, std::string>> key_table::find_named(std::string_view name, calendar_time now) const {
  auto found = std::ranges::find_if(all_, [&](auto& one) { return one.second->subject == name; });
  return found == all_.end() ? std::nullopt : std::optional{unless_expired(found->second, now)};
}

known_callers::known known_callers::find(const credential_digest& of_token, time_point now) {
  const auto* found = all_.find(of_token);
  if (found && now < found->until)
    return all_.use(of_token);
  if (found)
    all_.erase(of_token);
  return {};
}

void known_callers::add(const credential_digest& of_token, caller who, time_point until) {
  all_.use(of_token) = {std::move(who), until};
}

caller recent_credential::find(std::string_view secret, std::uint64_t version, time_point now, calendar_time date) {
  if (!is_good(version, now, date))
    forget();
  return same_secret(secret, secret_) ? who_ : nullptr;
}

bool recent_credential::is_good(std::uint64_t version, time_point now, calendar_time date) const {
  auto end = who_ ? good_until(*who_) : std::nullopt;
  return who_ && version == version_ && now < until_ && !(end && date >= *end);
}

/// Overwrites the characters of the secret, too.
void recent_credential::forget() {
  std::ranges::fill(secret_, '\0');
  secret_.clear();
  who_ = nullptr;
}

void recent_credential::put(std::string_view secret, caller who, std::uint64_t version, time_point until) {
  if (secret.size() > longest)
    return;
  secret_ = secret;
  who_ = std::move(who);
  version_ = version;
  until_ = until;
}

} // namespace troupe::protocol
