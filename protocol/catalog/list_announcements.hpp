#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_greeting.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/lists.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::protocol {

/// Which servers' parts the lists that the client got lack, and the `list_changed` notifications when such a part can
/// be had.
class list_announcements {
public:
  list_announcements(const catalog_greeting& greeting, request_sender& sender) : greeting_{greeting}, sender_{sender} {}

  /// The client got a list without the server's part.
  void left_out(std::uint64_t server, list_kind kind);
  /// The answer to a request, an id of ours, will be the part that was left out. Gives the request of which that was
  /// said before, which may have been answered; 0 when there was none.
  std::uint64_t expect_late(std::uint64_t server, list_kind kind, std::uint64_t own);
  /// Reports why the client got a list without the server's part, or without the rest of that, from this page on: the
  /// first is 0.
  void failed(const member_list& which, std::uint64_t page, std::string why, catalog_effects& out);
  /// The page from which on a part is lacking, as the last failure said; nothing when none was reported, or it is over.
  std::optional<std::uint64_t> failed_page(const member_list& which) const;
  /// The server has answered for the part that was left out.
  void answered_late(std::uint64_t server, list_kind kind, catalog_effects& out);
  /// That part could be had now.
  void came_late(std::uint64_t server, list_kind kind, catalog_effects& out);
  /// The client got the server's part of a list.
  void included(std::uint64_t server, list_kind kind, catalog_effects& out);

  /// A server that was ready is lost, and may have other lists when it comes back.
  void lost(std::uint64_t server) { lack_of(server).stale = true; }
  /// A server is ready.
  void returned(std::uint64_t server, catalog_effects& out);
  void removed(std::uint64_t server);
  /// A server's own announcement. One that failed or was lost is back when it makes it, but knows nothing of this
  /// session yet.
  void announced(catalog_member& one, list_group group, message from, catalog_effects& out);

  /// Tells the client that all its lists are out of date.
  void announce_all(catalog_effects& out) const;

private:
  struct lack {
    std::uint64_t server = 0;
    /// The lists, by kind, that the client has without the server's part.
    std::array<bool, 4> missing = {};
    /// The client has parts of lists that the server may not have any more.
    bool stale = false;
    /// Our ids of the last requests, by kind, that a list went out without; 0 where there is none.
    std::array<std::uint64_t, 4> late = {};
    /// The page from which on a list is lacking, by kind, where a failure was reported, and no recovery yet.
    std::array<std::optional<std::uint64_t>, 4> failed_page = {};

    bool has_failures() const;
    bool misses(list_group group) const;
    void set(list_group group, bool missing);
  };

  void announce(list_group group, catalog_effects& out) const;
  /// nullptr when it lacks nothing.
  lack* find(std::uint64_t server);
  const lack* find(std::uint64_t server) const;
  lack& lack_of(std::uint64_t server);
  static void recovered(lack& of, list_kind kind, catalog_effects& out);

  const catalog_greeting& greeting_;
  request_sender& sender_;
  std::vector<lack> lacks_;
};

} // namespace troupe::protocol
