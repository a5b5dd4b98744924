#include "protocol/access/key_set.hpp"

#include "protocol/text/json.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace troupe::protocol {

namespace {

struct accepted {
  std::string_view algorithm;
  std::string_view kind;
};

/// RFC 7518, 3.1: a key of each kind signs in these ways.
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
  if (json_error(text) || !trimmed(text).starts_with('{'))
    return;
  auto keys = find_member(text, {"keys"});
  if (!keys || !keys->starts_with('['))
    return;
  for (array_reader one{*keys}; one.next() && keys_.size() < most;) {
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

} // namespace troupe::protocol
