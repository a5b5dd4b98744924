#include "protocol/access/issuer_keys.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::protocol {

namespace {

struct accepted {
  std::string_view algorithm;
  std::string_view kind;
};

/// Algorithms for each kind of key (RFC 7518, 3.1).
constexpr std::array all_accepted = {
    accepted{"RS256", "RSA"},   accepted{"RS384", "RSA"},   accepted{"RS512", "RSA"},
    accepted{"PS256", "RSA"},   accepted{"PS384", "RSA"},   accepted{"PS512", "RSA"},
    accepted{"ES256", "P-256"}, accepted{"ES384", "P-384"}, accepted{"ES512", "P-521"}};

std::string_view kind_for(std::string_view algorithm) {
  auto* found = std::ranges::find(all_accepted, algorithm, &accepted::algorithm);
  return found == all_accepted.end() ? std::string_view{} : found->kind;
}

bool is_for_signatures(std::string_view key) {
  auto use = find_member(key, {"use"});
  if (use)
    return string_value(*use) == "sig";
  auto operations = find_member(key, {"key_ops"});
  if (!operations || !operations->starts_with('['))
    return true;
  for (array_reader one{*operations}; one.next();)
    if (string_value(one.value()) == "verify")
      return true;
  return false;
}

std::string kind_of(std::string_view key) {
  auto type = string_member(key, {"kty"});
  return type == "EC" ? string_member(key, {"crv"}) : type == "RSA" ? type : std::string{};
}

} // namespace

bool is_accepted_algorithm(std::string_view algorithm) { return !kind_for(algorithm).empty(); }

bool fits_signature(std::string_view algorithm, std::size_t size) {
  auto kind = kind_for(algorithm);
  if (kind == "P-256")
    return size == 64;
  if (kind == "P-384")
    return size == 96;
  return kind == "P-521" ? size == 132 : kind == "RSA" && size >= 256;
}

key_set::key_set(std::string_view text) {
  if (!is_json_object(text))
    return;
  for (array_reader one{find_member(text, {"keys"}).value_or("")}; one.next() && keys_.size() < most;) {
    auto key = one.value();
    if (!key.starts_with('{') || !is_for_signatures(key) || find_member(key, {"d"}))
      continue;
    auto kind = kind_of(key);
    if (std::ranges::any_of(all_accepted, [&](auto& known) { return known.kind == kind; }))
      keys_.push_back({{string_member(key, {"kid"}), std::string{key}}, std::move(kind), string_member(key, {"alg"})});
  }
}

std::vector<public_key> key_set::find(std::string_view algorithm, std::string_view id) const {
  std::vector<public_key> result;
  auto kind = kind_for(algorithm);
  for (auto& key : keys_)
    if (!kind.empty() && key.kind == kind && (key.algorithm.empty() || key.algorithm == algorithm) &&
        (id.empty() || key.what.id == id))
      result.push_back(key.what);
  return result;
}

issuer_effects issuer_keys::begin(time_point now) {
  issuer_effects out;
  fetch(now, out);
  return out;
}

/// Fetches the metadata first, since it may name another place of the keys by now.
void issuer_keys::fetch(time_point now, issuer_effects& out) {
  is_fetching_ = true;
  may_fetch_ = now + rules_.pause;
  must_fetch_ = time_point::max();
  search_ = document_search{metadata_urls(rules_.issuer)};
  try_next("its URL cannot be used", now, out);
}

void issuer_keys::try_next(const std::string& why_not_last, time_point now, issuer_effects& out) {
  if (auto url = search_.next())
    out.push_back(fetch_document{std::move(*url)});
  else
    give_up(why_not_last, now, out);
}

issuer_effects issuer_keys::fetched(std::string_view text, time_point now) {
  issuer_effects out;
  if (!is_fetching_)
    return out;
  if (auto why = read(text, now, out); !why.empty())
    return failed(why, now);
  return out;
}

/// Reads the document. Returns the reason why it is unusable; empty when it is usable.
std::string issuer_keys::read(std::string_view text, time_point now, issuer_effects& out) {
  if (search_.is_under_way()) {
    auto read = read_issuer_metadata(text, rules_.issuer);
    if (auto* why = std::get_if<std::string>(&read))
      return std::move(*why);
    auto& found = std::get<issuer_metadata>(read);
    if (found.keys_url.empty() && !rules_.introspects)
      return "its metadata names no keys";
    metadata_ = std::move(found);
    metadata_text_ = text;
    search_.end();
    if (!metadata_.keys_url.empty()) {
      out.push_back(fetch_document{metadata_.keys_url});
      return {};
    }
  } else {
    key_set fresh{text};
    if (fresh.is_empty())
      return "it has no keys that can sign tokens";
    keys_ = std::move(fresh);
  }
  is_fetching_ = false;
  must_fetch_ = now + rules_.lifetime;
  if (!complaint_.empty())
    out.push_back(log_note{log_note::weight::info, "the issuer answers again", {{"issuer", rules_.issuer}}});
  complaint_.clear();
  out.push_back(keys_settled{});
  return {};
}

issuer_effects issuer_keys::failed(const std::string& why, time_point now) {
  issuer_effects out;
  if (is_fetching_)
    try_next(why, now, out);
  return out;
}

void issuer_keys::give_up(const std::string& why, time_point now, issuer_effects& out) {
  is_fetching_ = false;
  must_fetch_ = now + rules_.pause;
  if (std::exchange(complaint_, why) != why)
    out.push_back(log_note{log_note::weight::warning,
                           keys_.is_empty() ? "the issuer's keys cannot be fetched: no token is accepted"
                                            : "the issuer's keys cannot be fetched: those that are known stay",
                           {{"issuer", rules_.issuer}, {"why", why}}});
  out.push_back(keys_settled{});
}

issuer_effects issuer_keys::tick(time_point now) {
  issuer_effects out;
  if (!is_fetching_ && now >= must_fetch_)
    fetch(now, out);
  return out;
}

time_point issuer_keys::deadline() const { return is_fetching_ ? time_point::max() : must_fetch_; }

issuer_keys::lookup issuer_keys::find(std::string_view algorithm, std::string_view id, time_point now,
                                      issuer_effects& out) {
  if (!is_accepted_algorithm(algorithm))
    return {};
  if (auto keys = keys_.find(algorithm, id); !keys.empty())
    return {state::known, std::move(keys)};
  if (doubt(now, out))
    return {state::awaited};
  return {keys_.is_empty() || !complaint_.empty() ? state::unavailable : state::unknown};
}

bool issuer_keys::doubt(time_point now, issuer_effects& out) {
  if (!is_fetching_ && now >= may_fetch_)
    fetch(now, out);
  return is_fetching_;
}

issuer_keys::state issuer_keys::find_introspection(time_point now, issuer_effects& out) {
  if (!metadata_.introspection_url.empty())
    return state::known;
  if (doubt(now, out))
    return state::awaited;
  return metadata_.keys_url.empty() ? state::unavailable : state::unknown;
}

} // namespace troupe::protocol
