#include "protocol/catalog/failed_lists.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

bool failed_lists::failed(const member_list& which, std::string_view why, bool has_failed_before, time_point now) {
  auto& one = all_[which];
  if (!has_failed_before)
    ++one.sessions;
  one.why = why;
  if (one.reported == why || now < one.report_from)
    return false;
  one.reported = why;
  one.report_from = now + pause;
  return true;
}

/// What others have as failed is reported again if it fails again.
void failed_lists::recovered(const member_list& which) {
  session_ended(which);
  if (auto found = all_.find(which); found != all_.end()) {
    found->second.why.clear();
    found->second.reported.clear();
  }
}

void failed_lists::session_ended(const member_list& which) {
  if (auto found = all_.find(which); found != all_.end() && found->second.sessions != 0)
    --found->second.sessions;
}

void failed_lists::keep_only(const std::vector<std::uint64_t>& servers) {
  std::erase_if(all_, [&](auto& one) { return std::ranges::find(servers, one.first.server) == servers.end(); });
}

std::vector<std::pair<member_list, std::string>> failed_lists::all() const {
  std::vector<std::pair<member_list, std::string>> result;
  for (auto& [which, one] : all_)
    if (one.sessions != 0 && !one.why.empty())
      result.emplace_back(which, one.why);
  return result;
}

std::string failure_text(const member_list& which, std::string_view why, std::string_view server) {
  return "`" + std::string{list_method(which.kind)} + "` of `" + one_line(server) + "` failed: " + one_line(why) +
         ". Merged lists lack these until the server lists them; clients are notified then";
}

} // namespace troupe::protocol
