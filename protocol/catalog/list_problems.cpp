#include "protocol/catalog/list_problems.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// Longest name that is not shortened, in bytes.
constexpr std::size_t longest_told = 200;

} // namespace

bool failed_lists::failed(const missing_part& which, std::string_view why, bool has_failed_before, time_point now) {
  auto& one = all_[which];
  if (!has_failed_before)
    ++one.sessions;
  one.why = why;
  const auto is_known = std::ranges::any_of(
      all_, [&](auto& other) { return other.first.server == which.server && other.second.reported == why; });
  if (is_known || now < one.report_from)
    return false;
  one.reported = why;
  one.report_from = now + pause;
  return true;
}

/// Lets a failure that other sessions still have be reported again: those report a list at each retry, and a server
/// that is down only once.
void failed_lists::recovered(const missing_part& which) {
  session_ended(which);
  if (auto found = all_.find(which); found != all_.end() && (which.list || found->second.sessions == 0)) {
    found->second.why.clear();
    found->second.reported.clear();
  }
}

void failed_lists::session_ended(const missing_part& which) {
  auto found = all_.find(which);
  if (found == all_.end() || found->second.sessions == 0)
    return;
  if (--found->second.sessions == 0 && !which.list)
    found->second.reported.clear();
}

void failed_lists::keep_only(const std::vector<std::uint64_t>& servers) {
  std::erase_if(all_, [&](auto& one) { return std::ranges::find(servers, one.first.server) == servers.end(); });
}

std::vector<std::pair<missing_part, std::string>> failed_lists::all() const {
  std::vector<std::pair<missing_part, std::string>> result;
  for (auto& [which, one] : all_)
    if (one.sessions != 0 && !one.why.empty())
      result.emplace_back(which, one.why);
  return result;
}

std::string failure_text(const missing_part& which, std::string_view why, std::string_view server) {
  const auto name = '`' + one_line(server) + '`';
  if (!which.list)
    return "merged lists lack all of " + name + ", which does not run: " + one_line(why) +
           ". Clients are notified when it is back";
  return "`" + std::string{list_method(*which.list)} + "` of " + name + " failed: " + one_line(why) +
         ". Merged lists lack these until the server lists them; clients are notified then";
}

bool name_clashes::add(name_hidden one) {
  return all_.size() < most_name_clashes && all_.insert(std::move(one)).second;
}

void name_clashes::keep_only(const std::vector<std::uint64_t>& servers) {
  auto gone = [&](std::uint64_t server) { return std::find(servers.begin(), servers.end(), server) == servers.end(); };
  std::erase_if(all_, [&](auto& one) { return gone(one.shown) || gone(one.hidden); });
}

std::string clash_text(const name_hidden& what, std::string_view shown, std::string_view hidden) {
  auto quote = [](std::string_view text) { return '`' + one_line(text, longest_told) + '`'; };
  return std::string{"the "} + (what.kind == list_kind::prompts ? "prompt " : "tool ") + quote(what.name) + " of " +
         quote(hidden) + " is left out of merged lists, because " + quote(shown) +
         " has one of that name: give one of the two servers another `prefix`";
}

} // namespace troupe::protocol
