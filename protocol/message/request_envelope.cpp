#include "protocol/message/request_envelope.hpp"

#include "protocol/text/json.hpp"

namespace troupe::protocol {

namespace {

/// Values of the members of `params._meta` as they stand in the text; null pointers for absent ones.
struct meta_members {
  std::string_view version, capabilities, log_level;
};

std::string_view* member_of(meta_members& all, std::string_view key) {
  if (key == meta_key::version)
    return &all.version;
  if (key == meta_key::capabilities)
    return &all.capabilities;
  if (key == meta_key::log_level)
    return &all.log_level;
  return nullptr;
}

std::string named(std::string_view key) { return "params._meta[" + quoted(key) + "]"; }

/// Finds the members; returns the error, empty if there is none. Servers disagree on which of two equal keys counts.
std::string fault_in_meta(std::string_view meta, meta_members& found) {
  for (object_reader members{meta}; members.next();) {
    auto* member = member_of(found, members.key());
    if (member && member->data())
      return named(members.key()) + " is there twice";
    if (member)
      *member = members.value();
  }
  if (!found.version.starts_with('"'))
    return named(meta_key::version) + " must be a string: the version of the protocol that the request speaks";
  if (!found.capabilities.starts_with('{'))
    return named(meta_key::capabilities) + " must be an object: what the client is capable of, or {}";
  return {};
}

rejection bad_envelope(std::string why, const message& request) {
  return {400, error_code::invalid_params, "Invalid params: " + std::move(why), request.id};
}

std::optional<severity> level_of(std::string_view token) { return read_severity(string_value(token).value_or("")); }

} // namespace

std::variant<request_envelope, rejection> read_envelope(const message& request) {
  auto meta = member_start(request.text, {"params", "_meta"});
  if (!meta || !meta->starts_with('{'))
    return bad_envelope("params._meta must be an object; each request of 2026-07-28 has one", request);
  meta_members found;
  if (auto fault = fault_in_meta(*meta, found); !fault.empty())
    return bad_envelope(std::move(fault), request);
  request_envelope result{.version = *string_value(found.version), .can = read_profile(found.capabilities)};
  if (!found.log_level.data())
    return result;
  result.log_level = level_of(found.log_level);
  if (!result.log_level)
    return bad_envelope(named(meta_key::log_level) + " must be a level of severity, such as \"info\"", request);
  return result;
}

} // namespace troupe::protocol
