#pragma once

#include "actors/messages.hpp"
#include "net/redis/redis_protocol.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::actors {

/// How sessions lie in a Redis, and the commands that read and write them there.
///
/// `<prefix>s:<session>` is a hash: `owner`, `taken`, the number of the `take` by which it is that owner's, `record`,
/// `bytes`, the size of all that follows, and `told`, how many events there ever were. `<prefix>e:<session>` is a
/// stream of the events that are not vital, each `stream place age text`; `<prefix>v:<session>` is a sorted set of the
/// vital ones, each `stream place age text` by its stream; and `<prefix>p:<session>` is one of what streams are for,
/// each `stream text` by its stream. Of those the oldest give way, each kind only when nothing is left of the one
/// before; see `append`.
///
/// `<prefix>n:<owner>` is there as long as the owner's tenure runs. `<prefix>k:<owner>` outlives all that the owner
/// wrote, so that a tenure that ran out differs from one that Redis has lost together with everything else.
/// `<prefix>emptied` is there for three tenures after that: owners are about to say what is theirs.
///
/// Session ids are secrets: keys have their SHA-256 instead, so that who reads the store cannot use its sessions.
/// Records and events lie there as they are. Each command is a script, which nothing comes between. One Redis is
/// expected that forgets nothing of itself (`maxmemory-policy noeviction`), and no cluster of them: keys of owners come
/// from data. When it is full it refuses events alone.
class redis_scripts {
public:
  struct limits {
    std::chrono::milliseconds tenure{};
    std::chrono::milliseconds session_time{};
    std::size_t most_events = 0;
    std::size_t most_bytes = 0;
  };
  /// Streams of a session of which is kept what they are for: more than it has at a time, unless something was not
  /// written.
  static constexpr std::size_t most_streams = 2000;

  redis_scripts(std::string prefix, std::string owner, const limits& of);

  /// Makes our tenure run anew; `lapsed` when it had run out, `emptied` when Redis knew nothing of us. When it
  /// `has_run` before, Redis has lost everything then.
  net::redis_command renew(bool has_run) const;
  net::redis_command save(const std::string& session, const std::string& record) const;
  /// Saves what is ours; `unknown` when nobody owns it, unless it is to be ours in a store that came back empty.
  net::redis_command claim(const std::string& session, const std::string& record, bool is_new_store) const;
  /// Events give way to those that come: the oldest that is not vital, or else that of the oldest stream.
  net::redis_command append(const std::string& session, const protocol::saved_event& what) const;
  /// Leaves no event of the session, only what its streams are for.
  net::redis_command clear(const std::string& session) const;
  net::redis_command forget(const std::string& session) const;
  /// Makes the session ours when its owner's tenure has run out. `untold` instead of `unknown` while Redis may not have
  /// been told yet what it has lost.
  net::redis_command take(const std::string& session, std::uint64_t number) const;
  /// What is ours by the `take` of that number is nobody's from now on: whoever wants it takes it.
  net::redis_command give_back(const std::string& session, std::uint64_t taken) const;
  /// The session is nobody's from now on.
  net::redis_command release(const std::string& session) const;
  /// Ends our tenure: others may take what was ours at once.
  net::redis_command leave() const;

private:
  std::string emptied() const { return prefix_ + "emptied"; }
  net::redis_command script(std::string text, const std::string& session, net::redis_command arguments) const;
  net::redis_command log(const char* what, const std::string& session, net::redis_command arguments) const;

  std::string prefix_;
  std::string owner_;
  std::string tenure_;
  std::string known_time_;
  std::string untold_time_;
  std::string session_time_;
  std::string most_events_;
  std::string most_bytes_;
};

protocol::store_answer read_answer(const net::redis_reply& reply);
/// What `take` found.
protocol::search_result read_found(std::string session, const net::redis_reply& reply);

} // namespace troupe::actors
