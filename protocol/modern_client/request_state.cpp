#include "protocol/modern_client/request_state.hpp"

#include "protocol/text/base_encodings.hpp"
#include "protocol/text/number.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

constexpr std::string_view state_member = "requestState";

/// Separator: does not occur in seals, numbers or encoded leases.
constexpr char part_mark = '.';

/// False if the request certainly has no such member. The name occurs in the text, unless written with escapes.
bool may_have_state(std::string_view text) {
  return text.find(state_member) != text.npos || text.find("\\u") != text.npos;
}

std::string_view before_mark(std::string_view text) { return text.substr(0, text.find(part_mark)); }

std::string unsealed_text(const request_state& state) {
  return base64url(state.lease) + part_mark + std::to_string(state.call) + part_mark + std::to_string(state.round);
}

/// Removes and returns the front of `rest`, up to the next separator or its end.
std::string_view take_part(std::string_view& rest) {
  auto part = before_mark(rest);
  rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  return part;
}

/// Accepts only the canonical form of `unsealed_text`, without leading zeros in numbers.
std::optional<request_state> read_unsealed(std::string_view text) {
  auto rest = text;
  auto lease = from_base64url(take_part(rest));
  auto call = read_number(take_part(rest));
  auto round = read_number(take_part(rest));
  if (!lease || !call || !round)
    return std::nullopt;
  request_state result{.lease = std::move(*lease), .call = *call, .round = *round};
  return unsealed_text(result) == text ? std::optional{std::move(result)} : std::nullopt;
}

struct sealed_parts {
  std::string_view unsealed, seal;
};

std::optional<sealed_parts> split_at_seal(std::string_view text) {
  auto mark = text.size() > longest_request_state ? text.npos : text.rfind(part_mark);
  if (mark == text.npos || mark + 1 == text.size())
    return std::nullopt;
  return sealed_parts{text.substr(0, mark), text.substr(mark + 1)};
}

} // namespace

bool is_sealed(std::string_view text, std::string_view given, const state_seal& seal) {
  return std::ranges::any_of(seal(text), [&](auto& one) { return same_secret(one, given); });
}

std::string sealed_request_state(const request_state& state, const state_seal& seal) {
  auto text = unsealed_text(state);
  return text + part_mark + seal(text).front();
}

std::optional<std::string_view> request_state_of(const message& request) {
  return may_have_state(request.text) ? find_member(request.text, {"params", state_member}) : std::nullopt;
}

std::string lease_of_request_state(std::string_view text) {
  auto parts = split_at_seal(text);
  auto state = parts ? read_unsealed(parts->unsealed) : std::nullopt;
  return state ? std::move(state->lease) : std::string{};
}

std::optional<request_state> read_request_state(std::string_view text, const state_seal& seal) {
  auto parts = split_at_seal(text);
  return parts && is_sealed(parts->unsealed, parts->seal, seal) ? read_unsealed(parts->unsealed) : std::nullopt;
}

bool brings_own_state(const message& request, const state_seal& seal) {
  return read_request_state(string_param(request, "requestState"), seal).has_value();
}

} // namespace troupe::protocol
