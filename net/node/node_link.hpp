#pragma once

#include "net/io_thread.hpp"
#include "net/node/node_link_stream.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe::net {

class node_link_connection;
class node_link_hub;

/// Settings of a node's links: its address to listen on, the secrets that prove its identity, and time limits.
struct node_link_options {
  /// Address to listen on; port 0 picks a free one.
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  /// Secrets of the cluster, at least one: holders of any of them are nodes. When we call, we prove to have the first;
  /// when we are called, we prove to have that of the caller.
  std::vector<std::string> keys = {};
  /// PEM files for TLS: our certificate, its key, and the authority that signed those of all nodes. Read again when
  /// they change. All empty: TLS by the key alone.
  std::string certificate = {};
  std::string private_key = {};
  std::string ca_file = {};
  /// Limit of a whole handshake, from the connection until both sides have decided.
  std::chrono::milliseconds limit = std::chrono::seconds{2};
  /// Time without input after which a link is closed. A long message on a slow link arrives all the while, and so does
  /// not count as silence.
  std::chrono::milliseconds silence = std::chrono::seconds{4};
  /// Most connections to us that have not proven yet to be nodes, of all and of one address (for IPv6, one network of
  /// 64 bits). Above that, the oldest of the address, or of the address that has most, is closed. Nodes are done within
  /// a few round trips, so silent strangers, however many, do not keep them out.
  std::size_t max_unauthenticated = 64;
  std::size_t max_unauthenticated_each = 32;
  /// Called on the io thread when the files have changed. If they cannot be used, `why_not` says so in one line, and
  /// those read before stay in use; it is empty when they are used from now on.
  std::function<void(const std::string& why_not)> on_new_files = nullptr;
  /// Called at first and after each pause, on the links' own thread; may block. Returns the new keys, or nullopt if
  /// they have not changed. Open links are left alone.
  std::function<std::optional<std::vector<std::string>>()> look_for_keys = nullptr;
  std::chrono::milliseconds key_pause = std::chrono::seconds{1};
  /// Called on the io thread when the keys have changed: with their number, and the number of open links that were made
  /// by a key no longer valid.
  std::function<void(std::size_t known, std::size_t left_over)> on_new_keys = nullptr;
};

/// Connection whose other side has proven that it has a key of ours; the owner takes or refuses it.
///
/// Never blocks. Callable from any thread, by one at a time; does nothing once the links are destroyed. Destroying an
/// undecided offer refuses the link. A link that was taken lives on without its offer.
class pending_link {
public:
  pending_link(std::weak_ptr<node_link_hub> hub, std::weak_ptr<node_link_connection> link, bool was_dialled);
  pending_link(pending_link&&) noexcept;
  pending_link& operator=(pending_link&& other) noexcept;
  ~pending_link();

  /// Description that the other side gives of itself: any text of at most 4 KiB.
  const std::string& hello() const;
  /// Whether we called the other side.
  bool dialled = false;

  /// Takes the link. Once both sides have decided, `on_open` gets the byte stream on the io thread. Destroying the
  /// stream ends the link; the stream ends when the other side closes or is silent. On the end, or when the link fails
  /// before, `on_closed` is called once, on the io thread.
  void accept(std::function<void(std::shared_ptr<node_link_stream>)> on_open, std::function<void()> on_closed);
  /// Refuses the link. The other side's dial fails with this text, cut to one line of 200 bytes.
  void refuse(std::string why);
  /// Ends the link that was taken, without a callback.
  void cut();

private:
  struct link;
  std::unique_ptr<link> link_;
};

/// Links between nodes: TLS connections whose two sides prove to each other that they have the same key.
///
/// Handshakes, also of strangers, run on a thread of their own, callbacks on the io thread; the taker's thread carries
/// the bytes. Listens once constructed. Only the constructor and the destructor block, the latter until that thread has
/// ended, which waits only for `look_for_keys`. The destructor drops every callback, closes every link and is callable
/// from any thread; if it runs on the io thread, no callback follows it.
class node_links {
public:
  /// Why there will be no link, in one line, and the hello of the other side if it has proven that it is a node.
  struct failure {
    std::string why;
    std::string hello = {};
    /// Whether a caller has sent nothing like a node.
    bool is_stranger = false;
    /// Whether no process listens at the address that was dialled.
    bool is_refused = false;
  };
  using outcome = std::variant<pending_link, failure>;

  /// Called for a caller that gets no link, with its address without the port.
  using reject_callback = std::function<void(const std::string& address, const failure& why)>;

  /// `hello` is our description of ourselves, at most 4 KiB. Callbacks run on the io thread. Throws
  /// `std::runtime_error` with one line that says why it cannot listen or cannot use its files.
  node_links(io_thread& thread, const node_link_options& options, std::string hello,
             std::function<void(pending_link)> on_accepted, reject_callback on_rejected);
  ~node_links();
  node_links(const node_links&) = delete;
  node_links& operator=(const node_links&) = delete;

  std::uint16_t port() const;
  /// Calls the node at a numeric address with a port, `1.2.3.4:80` or `[::1]:80`. Calls back on the io thread, never
  /// from inside. Callable from any thread.
  void dial(const std::string& address, std::function<void(outcome)> then);

private:
  std::unique_ptr<io_thread> thread_;
  std::shared_ptr<node_link_hub> hub_;
};

} // namespace troupe::net
