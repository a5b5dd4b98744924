#pragma once

#include "protocol/catalog/result_uris.hpp"
#include "protocol/message/list_kind.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::protocol {

/// A request of ours that a server has, or that waits for it.
struct member_request {
  enum class purpose {
    /// `initialize`.
    greeting,
    /// `logging/setLevel`, whose answer nobody waits for.
    level,
    /// The whole of a client's request.
    call,
    /// A part of a merged list.
    page,
    /// A part of a list that went out without it.
    late_page,
    /// A read that several servers were sent, because any of them may have the resource.
    read,
    /// A page of a list in which a name is searched for.
    search
  };
  std::uint64_t server = 0;
  purpose why = purpose::call;
  /// The client's id, a JSON token, of the request that it serves; empty when it serves none.
  std::string client_id = {};
  /// The client's progress token; empty when it wants no progress.
  std::string token = {};
  /// Where the answer has URIs.
  result_shape shape = result_shape::other;
  /// The list that is asked for.
  list_kind list = list_kind::tools;
};

/// The requests under way to all servers of a session, each under an id of ours. A request of the client is under way
/// as long as one of these serves it.
class member_request_table {
public:
  member_request_table() = default;
  // No copies: the keys of one index are parts of the other.
  member_request_table(const member_request_table&) = delete;
  member_request_table& operator=(const member_request_table&) = delete;

  /// An id of ours, greater than all before: an answer that comes late finds nothing.
  std::uint64_t new_id() { return ++last_id_; }
  void add(std::uint64_t own, member_request one);
  const member_request* find(std::uint64_t own) const;
  std::optional<member_request> take(std::uint64_t own);
  /// A page whose list went out without it serves no request of the client any more.
  void make_late(std::uint64_t own);

  /// Whether a request of the client is under way, and our ids of what serves it.
  bool serves(std::string_view client_id) const;
  std::vector<std::uint64_t> serving(std::string_view client_id) const;
  /// Our ids of the requests of which a test is true, in the order in which they were made.
  template <class Test>
  std::vector<std::uint64_t> which(Test test) const;

  std::size_t size() const { return by_own_id_.size(); }
  /// The requests of the client that are under way.
  std::size_t served() const { return served_; }

private:
  using by_own_id = std::map<std::uint64_t, member_request>;

  void index(by_own_id::const_reference one);
  void unindex(by_own_id::const_reference one);

  std::uint64_t last_id_ = 0;
  by_own_id by_own_id_;
  /// What serves requests of the client: the client's ids, which are parts of `by_own_id_`, and ours.
  std::set<std::pair<std::string_view, std::uint64_t>> by_client_id_;
  std::size_t served_ = 0;
};

template <class Test>
std::vector<std::uint64_t> member_request_table::which(Test test) const {
  std::vector<std::uint64_t> result;
  for (auto& [own, one] : by_own_id_)
    if (test(one))
      result.push_back(own);
  return result;
}

} // namespace troupe::protocol
