#include "protocol/access/caller_text.hpp"

#include "protocol/text/caller_parts.hpp"
#include "protocol/text/json.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <optional>

namespace troupe::protocol {

namespace {

using told_value = std::variant<std::string, unavailable_attribute>;

unavailable_attribute not_told(std::string_view name, std::string_view why) {
  return {"the caller's `" + one_line(name) + "`, which the MCP server is to be told, " + std::string{why}};
}

bool is_whole_number(std::string_view token) {
  if (token.starts_with('-'))
    token.remove_prefix(1);
  return !token.empty() && std::ranges::all_of(token, [](char c) { return c >= '0' && c <= '9'; });
}

/// True if a text has control characters: those of ASCII, or U+0080 to U+009F, which begin with C2 in UTF-8.
bool has_control_characters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto c = static_cast<unsigned char>(text[i]);
    auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (c < 0x20 || c == 0x7f || (c == 0xc2 && next < 0xa0))
      return true;
  }
  return false;
}

/// Returns why a value would be read as several; empty when it is one.
std::string_view fault_of_one(std::string_view value, attribute_target where) {
  const auto is_one = where == attribute_target::variable || value.find_first_of(",;\"") == value.npos;
  return is_one ? "" : "has a comma, a semicolon or a quote, by which it would be more than one value of a header";
}

/// Joins names by commas. A name with a comma in it would be read as two.
told_value list_of(const std::vector<std::string>& words, std::string_view name, attribute_target where) {
  std::string result;
  for (auto& word : words) {
    if (word.find(',') != word.npos)
      return not_told(name, "has a comma in one of its names");
    if (auto why = fault_of_one(word, where); !why.empty())
      return not_told(name, why);
    result += (result.empty() ? "" : ",") + word;
  }
  return result;
}

told_value claim_of(const principal& who, std::string_view name) {
  auto token = json_error(who.claims) ? std::nullopt : find_member(who.claims, {name});
  if (!token || *token == "null")
    return std::string{};
  if (is_whole_number(*token) || *token == "true" || *token == "false")
    return std::string{*token};
  if (auto text = has_half_character(*token) ? std::nullopt : string_value(*token))
    return std::move(*text);
  return not_told(name, "is no text, whole number or boolean");
}

told_value one_of(const principal& who, std::string_view name) {
  if (name == "subject")
    return who.subject;
  if (name == "issuer")
    return who.issuer;
  return name == "client" ? who.client : claim_of(who, name);
}

told_value known_of(const principal& who, std::string_view name, attribute_target where) {
  if (name == "groups")
    return list_of(who.groups, name, where);
  if (name == "scopes")
    return list_of(who.scopes, name, where);
  auto known = one_of(who, name);
  auto* value = std::get_if<std::string>(&known);
  if (auto why = value ? fault_of_one(*value, where) : ""; !why.empty())
    return not_told(name, why);
  return known;
}

std::string_view fault_of_value(std::string_view value) {
  if (value.empty())
    return "is missing";
  if (value.size() > longest_told_claim)
    return "is too long";
  if (has_control_characters(value))
    return "has line breaks or other control characters";
  return without_blanks(value) == value ? "" : "begins or ends with a blank";
}

} // namespace

std::variant<std::string, unavailable_attribute> attribute_of(const caller& who, std::string_view name,
                                                              attribute_target where) {
  if (!who)
    return not_told(name, "is missing: the caller has no credentials");
  auto known = known_of(*who, name, where);
  if (auto* value = std::get_if<std::string>(&known))
    if (auto why = fault_of_value(*value); !why.empty())
      return not_told(name, why);
  return known;
}

std::variant<std::string, unavailable_attribute> text_for(std::string_view text, const caller& who,
                                                          attribute_target where) {
  std::string result;
  for (auto& part : caller_parts(text)) {
    auto value = part.is_name ? attribute_of(who, part.text, where) : told_value{std::string{part.text}};
    if (auto* why = std::get_if<unavailable_attribute>(&value))
      return std::move(*why);
    result += std::get<std::string>(value);
  }
  return result;
}

std::variant<named_texts, unavailable_attribute> texts_for(named_texts texts, const caller& who,
                                                           attribute_target where) {
  for (auto& [name, text] : texts) {
    auto value = text_for(text, who, where);
    if (auto* why = std::get_if<unavailable_attribute>(&value))
      return std::move(*why);
    text = std::move(std::get<std::string>(value));
  }
  return texts;
}

bool depend_on_caller(const named_texts& texts) {
  return std::ranges::any_of(texts, [](auto& one) { return depends_on_caller(one.second); });
}

} // namespace troupe::protocol
