#include "protocol/access/permissions.hpp"

#include "protocol/access/uri_readings.hpp"
#include "protocol/text/glob.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

bool stands_for_others(char c) { return c == unwritten_wildcards.any || c == unwritten_wildcards.one; }

/// Cost of finding that a name does not begin as a pattern does: measured.
constexpr std::size_t effort_of_one = 2;

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::ranges::find(all, one) != all.end();
}

/// Checks a caller's issuer. A key, a certificate and a token's subject may share a name, but are different callers.
bool is_vouched_for(const access_rule& rule, const principal& who) {
  const auto is_token = !who.issuer.empty() && has_token(who);
  const auto is_issuer = [&](std::string_view named) {
    return named == any_token_issuer || same_uri(named, who.issuer);
  };
  return rule.issuers.empty() || contains(rule.issuers, who.issuer) ||
         (is_token && std::ranges::any_of(rule.issuers, is_issuer));
}

bool is_named(const access_rule& rule, const principal& who) {
  if (!is_vouched_for(rule, who))
    return false;
  if (rule.groups.empty() && rule.names.empty())
    return true;
  return contains(rule.names, who.subject) ||
         std::ranges::any_of(who.groups, [&](auto& group) { return contains(rule.groups, group); });
}

} // namespace

name_pattern::name_pattern(offered kind, std::string text) : text_{std::move(text)} {
  const wildcard_words words{text_};
  const auto readable = words.put_into(text_);
  auto written = kind == offered::resource ? spellings_of_uri(readable) : uri_readings{{readable}};
  for (auto& one : written.texts)
    spellings_.push_back(spelled(words.taken_out_of(std::move(one))));
  for (auto& one : written.file_hosts)
    if (auto host = words.taken_out_of(std::move(one)); !std::ranges::all_of(host, stands_for_others))
      file_hosts_.push_back(std::move(host));
}

bool name_pattern::fits(std::string_view name) const {
  return std::ranges::any_of(spellings_, [&](auto& one) {
    return begins_as(one, name) &&
           fits_glob(std::string_view{one.text}.substr(one.literal), name.substr(one.literal), unwritten_wildcards);
  });
}

name_pattern::spelling name_pattern::spelled(std::string text) {
  const auto literal = std::ranges::find_if(text, stands_for_others) - text.begin();
  return {std::move(text), static_cast<std::size_t>(literal)};
}

/// Compares the parts before the first wildcard: most names differ there from most patterns.
bool name_pattern::begins_as(const spelling& one, std::string_view name) {
  return name.starts_with(std::string_view{one.text}.substr(0, one.literal));
}

std::size_t name_pattern::effort_for(std::string_view name) const {
  std::size_t result = 0;
  for (auto& one : spellings_)
    result += effort_of_one + (begins_as(one, name) ? name.size() : 0);
  return result;
}

bool name_pattern::names_file_host(std::string_view host) const {
  return std::ranges::any_of(file_hosts_, [&](auto& one) { return fits_glob(one, host, unwritten_wildcards); });
}

/// Follows a hierarchy of scopes, which may be several steps deep and have cycles.
bool has_scope(const principal& who, std::string_view scope, const scope_hierarchy& includes) {
  std::vector<std::string_view> had{who.scopes.begin(), who.scopes.end()};
  for (std::size_t at = 0; at < had.size(); ++at) {
    if (had[at] == scope)
      return true;
    if (auto found = includes.find(had[at]); found != includes.end())
      for (auto& one : found->second)
        if (std::ranges::find(had, one) == had.end())
          had.push_back(one);
  }
  return false;
}

void permissions::add(const access_rule& rule, const principal& who, permit& to) const {
  if (!is_named(rule, who))
    to.is = permit::kind::hidden;
  for (auto& scope : rule.scopes) {
    if (!contains(to.scopes, scope))
      to.scopes.push_back(scope);
    if (to.is == permit::kind::allowed && !has_scope(who, scope, includes_))
      to.is = permit::kind::lacks_scopes;
  }
}

bool permissions::are_about(offered kind) const {
  return std::ranges::any_of(things_, [&](auto& one) { return one.kind == kind; });
}

std::size_t permissions::effort_for(offered kind, const std::vector<std::string>& readings) const {
  std::size_t result = 0;
  for (auto& one : things_)
    if (one.kind == kind)
      for (auto& name : readings)
        result += one.pattern.effort_for(name);
  return result;
}

bool permissions::name_file_host(std::string_view host) const {
  return std::ranges::any_of(
      things_, [&](auto& one) { return one.kind == offered::resource && one.pattern.names_file_host(host); });
}

permit permissions::to_server(const principal& who) const {
  permit result;
  add(server_, who, result);
  return result;
}

permit permissions::to(offered kind, const std::vector<std::string>& readings, const principal& who) const {
  auto result = to_server(who);
  for (auto& one : things_)
    if (one.kind == kind && std::ranges::any_of(readings, [&](auto& name) { return one.pattern.fits(name); }))
      add(one.rule, who, result);
  return result;
}

std::vector<ruling> permissions::rulings_on(const principal& who) const {
  std::vector<ruling> result;
  for (auto& one : things_) {
    result.push_back({one, to_server(who)});
    add(one.rule, who, result.back().is);
  }
  return result;
}

} // namespace troupe::protocol
