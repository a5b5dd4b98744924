#include "deploy/program/signal_sender.hpp"

#include "net/child/server_mark.hpp"

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace troupe::deploy {

namespace {

/// Limit of attempts: while we look, a process between the sender and us may exit, and its child gets another parent.
constexpr int most_looks = 5;
/// Limit of the ancestors to follow.
constexpr int most_parents = 1000;

enum class place { outside, inside, unknown };

place look_for(pid_t process, const process_facts& facts) {
  for (int count = 0; count < most_parents; ++count) {
    if (process == facts.self || process == facts.before)
      return place::inside;
    if (process <= 1)
      return place::outside;
    const auto parent = facts.parent_of(process);
    if (!parent)
      return place::unknown;
    process = *parent;
  }
  return place::unknown;
}

place place_of(pid_t process, const process_facts& facts) {
  if (facts.is_marked(process))
    return place::inside;
  auto result = place::unknown;
  for (int looks = 0; result == place::unknown && looks < most_looks; ++looks)
    result = look_for(process, facts);
  return result;
}

std::optional<pid_t> parent_by_proc(pid_t process) {
  std::ifstream file{"/proc/" + std::to_string(process) + "/stat"};
  const std::string all{std::istreambuf_iterator<char>{file}, {}};
  const auto name_end = all.rfind(')'); // a name may have brackets and blanks
  if (name_end != std::string::npos && name_end + 4 < all.size())
    return static_cast<pid_t>(std::atoi(all.c_str() + name_end + 4)); // `) S 812 …`
  return ::kill(process, 0) != 0 && errno == EPERM ? std::optional<pid_t>{0} : std::nullopt;
}

} // namespace

std::string why_may_not_order(const signal_sender& sender, const process_facts& facts) {
  // The sender of a queued signal fills in its own identity, so it can be forged (rt_sigqueueinfo(2)).
  if (sender.code != SI_USER && sender.code != SI_TKILL)
    return "it was not sent by kill(2), so its sender is not certain";
  if (sender.user == 0 && facts.user != 0)
    return {};
  if (sender.user != facts.user)
    return "its sender is another user: only root and the user of the gateway may send it";
  if (sender.process == 0 || sender.process == facts.self || sender.process == facts.parent)
    return {};
  switch (place_of(sender.process, facts)) {
  case place::outside:
    return {};
  case place::inside:
    return "its sender is a process of a server";
  default:
    return "its sender has ended already and may have been a process of a server: send it from a shell, or as root";
  }
}

process_facts own_facts(const process_origin& origin) {
  const auto is_marked = [limit = origin.lock_limit](pid_t process) {
    const auto other = net::lock_limit_of(process);
    return other && *other < limit;
  };
  return {::getpid(), ::getppid(), ::geteuid(), parent_by_proc, is_marked, origin.before};
}

} // namespace troupe::deploy
