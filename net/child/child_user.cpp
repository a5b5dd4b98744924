#include "net/child/child_user.hpp"

#include <algorithm>
#include <charconv>
#include <grp.h>
#include <pwd.h>

namespace troupe::net {

namespace {

std::optional<uid_t> number_in(const std::string& text) {
  uid_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional{number} : std::nullopt;
}

std::vector<gid_t> groups_of(const passwd& entry) {
  int count = 64;
  std::vector<gid_t> result(static_cast<std::size_t>(count));
  if (::getgrouplist(entry.pw_name, entry.pw_gid, result.data(), &count) < 0) {
    result.resize(static_cast<std::size_t>(count));
    ::getgrouplist(entry.pw_name, entry.pw_gid, result.data(), &count);
  }
  result.resize(static_cast<std::size_t>(std::max(count, 0)));
  return result;
}

} // namespace

std::optional<child_user> find_user(const std::string& name_or_number) {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(16 * 1024);
  if (auto number = number_in(name_or_number))
    ::getpwuid_r(*number, &entry, buffer.data(), buffer.size(), &found);
  else
    ::getpwnam_r(name_or_number.c_str(), &entry, buffer.data(), buffer.size(), &found);
  if (!found)
    return std::nullopt;
  return child_user{entry.pw_uid, entry.pw_gid, groups_of(entry), entry.pw_name, entry.pw_dir};
}

} // namespace troupe::net
