#include "protocol/message/client_profile.hpp"

#include <initializer_list>
#include <optional>
#include <utility>

namespace troupe::protocol {

namespace {

/// Returns the declaration of a capability, an object; nullopt if the client does not have the capability.
std::optional<std::string_view> declared(std::optional<std::string_view> in, std::string_view name) {
  auto value = in ? member_start(*in, {name}) : std::nullopt;
  return value && value->starts_with('{') ? value : std::nullopt;
}

std::string empty_object_if(bool is_there) { return is_there ? "{}" : ""; }

/// Builds an object of those members that have a value.
std::string object_with(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  std::string result{"{"};
  for (auto& one : members)
    if (!one.second.empty())
      result.append(result.size() > 1 ? "," : "").append(quoted(one.first)).append(":").append(one.second);
  return result + "}";
}

} // namespace

client_profile read_profile(std::string_view capabilities) {
  auto elicitation = declared(capabilities, "elicitation"), sampling = declared(capabilities, "sampling");
  auto has_url = declared(elicitation, "url").has_value();
  return {.form = declared(elicitation, "form") || (elicitation && !has_url),
          .url = has_url,
          .sampling = sampling.has_value(),
          .sampling_tools = declared(sampling, "tools").has_value(),
          .sampling_context = declared(sampling, "context").has_value(),
          .roots = declared(capabilities, "roots").has_value()};
}

std::string declared_capabilities(const client_profile& profile) {
  auto elicitation = object_with({{"form", empty_object_if(profile.form)}, {"url", empty_object_if(profile.url)}});
  auto sampling = object_with(
      {{"tools", empty_object_if(profile.sampling_tools)}, {"context", empty_object_if(profile.sampling_context)}});
  return object_with({{"elicitation", profile.form || profile.url ? elicitation : ""},
                      {"sampling", profile.sampling ? sampling : ""},
                      {"roots", empty_object_if(profile.roots)}});
}

/// A sampling request with tools is an error unless the client declares them (2026-07-28, sampling, `tools` and
/// `toolChoice`); a context that it does not declare is ignored.
client_profile profile_needed_for(const message& question) {
  if (question.is_method("elicitation/create"))
    return string_param(question, "mode") == "url" ? client_profile{.url = true} : client_profile{.form = true};
  if (question.is_method("roots/list"))
    return {.roots = true};
  if (!question.is_method("sampling/createMessage"))
    return {};
  auto has = [&](std::string_view name) { return find_member(question.text, {"params", name}).has_value(); };
  return {.sampling = true, .sampling_tools = has("tools") || has("toolChoice")};
}

bool covers(const client_profile& can, const client_profile& needed) {
  return (can.form || !needed.form) && (can.url || !needed.url) && (can.sampling || !needed.sampling) &&
         (can.sampling_tools || !needed.sampling_tools) && (can.sampling_context || !needed.sampling_context) &&
         (can.roots || !needed.roots);
}

std::string profile_key(const client_profile& profile) {
  std::string result;
  for (auto& [is_there, letter] : {std::pair{profile.form, 'f'}, std::pair{profile.url, 'u'},
                                   std::pair{profile.sampling, 's'}, std::pair{profile.sampling_tools, 't'},
                                   std::pair{profile.sampling_context, 'c'}, std::pair{profile.roots, 'r'}})
    if (is_there)
      result += letter;
  return result;
}

} // namespace troupe::protocol
