#include "protocol/modern_server/client_envelope.hpp"

#include "protocol/message/era.hpp"
#include "protocol/message/methods.hpp"
#include "protocol/message/request_envelope.hpp"

#include <algorithm>
#include <array>

namespace troupe::protocol {

namespace {

constexpr std::array of_envelope = {meta_key::version, meta_key::capabilities, meta_key::client_info,
                                    meta_key::log_level};
/// Params that only a retry has, and one that only the session era has.
constexpr std::array<std::string_view, 4> not_relayed = {"_meta", "task", "inputResponses", "requestState"};

/// Compares in any spelling, as some servers do.
bool is_among(const auto& names, std::string_view key) {
  return std::ranges::any_of(names, [&](auto name) { return is_spelling_of(key, name); });
}

std::string member_text(std::string_view name, std::string_view value) {
  return quoted(name).append(":").append(value);
}

client_profile profile_in(const message& initialize, std::string_view version) {
  auto result = read_profile(find_member(initialize.text, {"params", "capabilities"}).value_or("{}"));
  auto is_newest = version >= "2025-11-25";
  result.form = result.form && version >= "2025-06-18";
  result.url = result.url && is_newest;
  result.sampling_tools = result.sampling_tools && is_newest;
  result.sampling_context = result.sampling_context && is_newest;
  return result;
}

std::string session_version_for(const message& initialize) {
  auto wanted = string_param(initialize, "protocolVersion");
  return is_session_version(wanted) ? wanted : std::string{newest_session_version};
}

} // namespace

client_envelope::client_envelope()
    : version_{newest_session_version}, members_{member_text(meta_key::version, quoted(modern_version)) + "," +
                                                 member_text(meta_key::capabilities, "{}")} {}

client_envelope::client_envelope(const message& initialize)
    : can_{profile_in(initialize, session_version_for(initialize))}, version_{session_version_for(initialize)},
      members_{member_text(meta_key::version, quoted(modern_version)) + "," +
               member_text(meta_key::capabilities, declared_capabilities(can_))},
      reads_modern_{initialize.claims_modern} {
  if (auto info = find_member(initialize.text, {"params", "clientInfo"}); info && info->starts_with('{'))
    members_ += "," + member_text(meta_key::client_info, *info);
}

void client_envelope::set_level(std::optional<severity> level) { level_ = level; }

message client_envelope::addressed(const message& request, std::string_view id, std::string_view more) const {
  message result{.kind = message_kind::request, .text = R"({"jsonrpc":"2.0","id":)"};
  result.id = id;
  result.id_at = {result.text.size(), id.size()};
  result.method = request.method;
  result.requester = request.requester;
  result.trace = request.trace;
  result.text.append(id).append(R"(,"method":)").append(quoted(request.method));
  result.text.append(R"(,"params":)").append(params_of(request, more)).append("}");
  return result;
}

std::string client_envelope::params_of(const message& request, std::string_view more) const {
  auto params = find_member(request.text, {"params"}).value_or("{}");
  std::string result = R"({"_meta":)";
  append_meta(result, find_member(params, {"_meta"}).value_or("{}"));
  for (object_reader members{params}; members.next();)
    if (!is_among(not_relayed, members.key()))
      result.append(",").append(quoted(members.key())).append(":").append(members.value());
  return result.append(more).append("}");
}

void client_envelope::append_meta(std::string& to, std::string_view meta) const {
  to.append("{").append(members_);
  if (level_)
    to.append(",").append(member_text(meta_key::log_level, quoted(name_of(*level_))));
  for (object_reader members{meta}; members.next();)
    if (!is_among(of_envelope, members.key()))
      to.append(",").append(quoted(members.key())).append(":").append(members.value());
  to += "}";
}

} // namespace troupe::protocol
