#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_names.hpp"
#include "protocol/catalog/list_announcements.hpp"
#include "protocol/catalog/list_page.hpp"
#include "protocol/catalog/member_retries.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/cache_hints.hpp"
#include "protocol/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Merges the lists of several servers, page by page. A page goes out when all servers have answered, or without those
/// that take too long.
class merged_lists {
public:
  /// `patience`: longest wait of a page for servers; `seed`: see `member_retries`.
  merged_lists(request_sender& sender, catalog_names& names, list_announcements& announcements, member_retries& retries,
               std::chrono::milliseconds patience, cursor_seal seal, std::uint64_t seed)
      : sender_{sender}, names_{names}, announcements_{announcements}, retries_{retries}, patience_{patience},
        seal_{std::move(seal)}, late_announcements_{seed} {}

  /// Handles the client's request for a page.
  void ask(const message& from, list_kind kind, time_point now, catalog_effects& out);
  /// Forgets a request that the client cancelled.
  void forget(std::string_view client_id);
  void receive_page(const member_request& asked, std::uint64_t own, message from, time_point now, catalog_effects& out);
  /// Takes a part that its page went out without.
  void receive_late_page(const member_request& asked, const message& from, time_point now, catalog_effects& out);
  /// Sends the page with the parts that have arrived.
  void finish(std::string_view client_id, time_point now, catalog_effects& out);
  /// Stops waiting for a part that its page went out without.
  void give_up(const member_request& asked, std::uint64_t own, time_point now, catalog_effects& out);
  /// Requests a failed part again; the client is notified if it is available.
  void ask_again(const member_list& which, time_point now, catalog_effects& out);
  void removed(std::uint64_t server) { late_announcements_.forget_all(server); }
  void tick(time_point now, catalog_effects& out);

  /// Time of the next `tick`.
  time_point deadline() const { return late_announcements_.deadline(); }

private:
  /// Part of a page from one server.
  struct part {
    std::uint64_t server = 0;
    std::uint64_t own_id = 0;
    /// Position requested; its token is empty for the first page.
    server_cursor place = {};
    /// Server's answer; empty before it arrives.
    message answer = {};
    /// Cache hints of the answer.
    cache_hints hints = {};
  };

  /// Page that is being gathered.
  struct round {
    /// Client's id of its request.
    std::string client_id;
    list_kind kind = list_kind::tools;
    bool first_page = true;
    /// Upper limit of the page's cache hints.
    cache_hints hints = {};
    /// Parts in configured order.
    std::vector<part> parts = {};
  };

  merged_place first_pages(list_kind kind, catalog_effects& out);
  std::size_t not_ready(const std::vector<server_cursor>& cursors) const;
  void ask_for_pages(const message& from, round begun, const std::vector<server_cursor>& cursors, time_point now,
                     catalog_effects& out);
  std::list<round>::iterator find(std::string_view client_id);
  std::optional<cache_hints> hints_of(const round& page) const;
  bool has_failed_part(const part& of, const round& page) const;
  void follow_cursor(const part& of, const round& page, merged_place& next, catalog_effects& out);
  std::string include(const part& of, const round& page, merged_place& next, catalog_effects& out);
  void leave_out(const part& of, list_kind kind, std::optional<std::string> why, time_point now, catalog_effects& out);
  void fail(const member_list& which, std::uint64_t page, std::string why, time_point now, catalog_effects& out);
  void fail_again(const member_list& which, std::string why, time_point now, catalog_effects& out);
  void ask_for_late_page(const member_list& which, std::string_view params, std::uint64_t pages_left, time_point now,
                         catalog_effects& out);
  void await_late(const member_list& which, std::uint64_t own, catalog_effects& out);

  request_sender& sender_;
  catalog_names& names_;
  list_announcements& announcements_;
  member_retries& retries_;
  std::chrono::milliseconds patience_;
  cursor_seal seal_;
  /// Delayed notifications of late parts: a server that is always slow must not make the client request its lists all
  /// the time.
  member_retries late_announcements_;
  std::list<round> rounds_;
  /// Caller that requested a list last.
  std::shared_ptr<const principal> requester_;
};

} // namespace troupe::protocol
