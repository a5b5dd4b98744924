#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_initialization.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/lists.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// Record of the servers' parts that the client's lists lack, and the `list_changed` notifications when such a part
/// becomes available.
class list_announcements {
public:
  list_announcements(const catalog_initialization& greeting, request_sender& sender)
      : greeting_{greeting}, sender_{sender} {}

  /// Notes that the client got a list without the server's part.
  void left_out(std::uint64_t server, list_kind kind);
  /// Notes that the client's lists lack all parts of a server that is down. Reports it, once until it returns.
  void server_missing(std::uint64_t server, catalog_effects& out);
  /// Notes our request whose answer will be the part left out. Returns the request noted before, which may have been
  /// answered; 0 if none.
  std::uint64_t expect_late(std::uint64_t server, list_kind kind, std::uint64_t own);
  /// Reports why a list lacks the server's part, or the rest of it from page `page` on. The first page is 0.
  void failed(const member_list& which, std::uint64_t page, std::string why, catalog_effects& out);
  /// Returns the page from which a part is missing, by the last failure; empty if none was reported, or it is over.
  std::optional<std::uint64_t> failed_page(const member_list& which) const;
  /// Reports the recovery of a part that was left out.
  void answered_late(std::uint64_t server, list_kind kind, catalog_effects& out);
  /// Announces a part that was left out and is now available.
  void came_late(std::uint64_t server, list_kind kind, catalog_effects& out);
  /// Notes that the client got the server's part of a list.
  void included(std::uint64_t server, list_kind kind, catalog_effects& out);

  /// Notes why a server is down: it did not answer `initialize` as it should.
  void down(std::uint64_t server, std::string why) { lack_of(server).why_down = std::move(why); }
  /// Notes that a ready server exited: its lists may differ when it is back.
  void lost(std::uint64_t server) { lack_of(server).stale = true; }
  /// Announces the lists of a server that is ready again.
  void returned(std::uint64_t server, catalog_effects& out);
  void removed(std::uint64_t server);
  /// Passes on a server's own `list_changed`. A server that failed or exited is back then, but must be initialized
  /// first for this session.
  void announced(catalog_member& one, list_group group, message from, catalog_effects& out);

  /// Announces all lists to the client as changed.
  void announce_all(catalog_effects& out) const;

private:
  struct lack {
    std::uint64_t server = 0;
    /// Lists, by kind, that the client got without the server's part.
    std::array<bool, 4> missing = {};
    /// True if the client's lists may have items that the server no longer has.
    bool stale = false;
    /// Cause why the server is down, and whether that was reported.
    std::string why_down = {};
    bool is_reported = false;
    /// Our last late requests, by kind; 0 where there is none.
    std::array<std::uint64_t, 4> late = {};
    /// First missing page, by kind, where a failure was reported without a recovery since.
    std::array<std::optional<std::uint64_t>, 4> failed_page = {};

    bool has_failures() const;
    bool misses(list_group group) const;
    void set(list_group group, bool missing);
  };

  void announce(list_group group, catalog_effects& out) const;
  /// nullptr if nothing is missing.
  lack* find(std::uint64_t server);
  const lack* find(std::uint64_t server) const;
  lack& lack_of(std::uint64_t server);
  static void recovered(lack& of, list_kind kind, catalog_effects& out);

  const catalog_initialization& greeting_;
  request_sender& sender_;
  std::vector<lack> lacks_;
};

} // namespace troupe::protocol
