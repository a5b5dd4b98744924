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

/// Where a node listens for others, the secrets by which it proves itself, and time limits.
struct node_link_options {
  /// Address to listen on; port 0 picks a free one.
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  /// The cluster's secrets, one at least: whoever has one of them is a node. We prove to have the first when we call,
  /// and that of the caller when we are called.
  std::vector<std::string> keys = {};
  /// PEM files for TLS: our certificate and its key, and what signed those of all nodes; read again when they change.
  /// All empty: TLS by the key alone.
  std::string certificate = {};
  std::string private_key = {};
  std::string ca_file = {};
  /// For a whole handshake, from the connection until both sides have decided.
  std::chrono::milliseconds limit = std::chrono::seconds{2};
  /// A link is closed when nothing has come from its other side for this long; a long message on a slow link comes all
  /// the while.
  std::chrono::milliseconds silence = std::chrono::seconds{4};
  /// Connections to us that have not proven yet that they are nodes, of all and of one address (of IPv6, one network of
  /// 64 bits). Of one more, the oldest of its address is closed, or of the address that has most: nodes are done within
  /// a few round trips, so that those who say nothing, however many, do not keep them out.
  std::size_t most_unproven = 64;
  std::size_t most_unproven_of_one = 32;
  /// Told on the io thread when the files have changed: why they cannot be used, and those read before are, in one
  /// line, or nothing when they are used from now on.
  std::function<void(const std::string& why_not)> on_new_files = nullptr;
  /// Asked at first and after each pause, on the links' own thread, and may block: the keys from now on, when there are
  /// others. Links that stand are left alone.
  std::function<std::optional<std::vector<std::string>>()> look_for_keys = nullptr;
  std::chrono::milliseconds key_pause = std::chrono::seconds{1};
  /// Told on the io thread when there are other keys: how many, and how many links stand that were made by a key that
  /// is none any more.
  std::function<void(std::size_t known, std::size_t left_over)> on_new_keys = nullptr;
};

/// A connection whose other side has proven that it has a key of ours; the owner decides what becomes of it.
///
/// Never blocks. Callable from any thread, by one at a time, even after the links it came from are gone: then it does
/// nothing. Destroying it undecided refuses the link; once it is decided, the link lives on without it.
class node_offer {
public:
  node_offer(std::weak_ptr<node_link_hub> hub, std::weak_ptr<node_link_connection> link, bool was_dialled);
  node_offer(node_offer&&) noexcept;
  node_offer& operator=(node_offer&& other) noexcept;
  ~node_offer();

  /// What the other side says of itself, whatever that is: at most 4 KiB.
  const std::string& hello() const;
  /// Whether we called it, not it us.
  bool dialled = false;

  /// Once both sides have decided, `on_open` is given the bytes of the link, on the io thread; whoever has them ends
  /// the link when it destroys them, and sees their end when the other side closes or is silent. Then, or when it fails
  /// before, `on_closed` is told once, on the io thread.
  void take(std::function<void(std::shared_ptr<node_link_stream>)> on_open, std::function<void()> on_closed);
  /// The other side's dial fails with this text, of which one line of 200 bytes is told.
  void refuse(std::string why);
  /// Ends the link that was taken; nobody is told here.
  void cut();

private:
  struct link;
  std::unique_ptr<link> link_;
};

/// Connections between nodes that prove to each other that they have the same key, in TLS.
///
/// Handshakes, and the arithmetic of those of strangers, are on a thread of its own; the io thread is only told, and
/// the bytes are for the thread of whoever takes them. Constructed means listening. Blocks only when constructed, and
/// destroyed until that thread has ended, which waits for nobody but who looks for keys. Destroying it forgets every
/// callback and closes every link; callable from any thread, and on the io thread nothing is told after that.
class node_links {
public:
  /// Why there will be no link, in one line, and what the other side says of itself if it has proven that it is a node.
  struct failure {
    std::string why;
    std::string hello = {};
    /// Of a caller: nothing of what it has said is like a node.
    bool is_stranger = false;
  };
  using outcome = std::variant<node_offer, failure>;

  /// Of a caller to whom there will be no link, and its address without the port.
  using turned_away = std::function<void(const std::string& address, const failure& why)>;

  /// `hello` is what we say of ourselves, at most 4 KiB. Callbacks run on the io thread.
  /// Throws `std::runtime_error` with one line that says why it cannot listen or cannot use its files.
  node_links(io_thread& thread, const node_link_options& options, std::string hello,
             std::function<void(node_offer)> on_accepted, turned_away on_turned_away);
  ~node_links();
  node_links(const node_links&) = delete;
  node_links& operator=(const node_links&) = delete;

  std::uint16_t port() const;
  /// Calls the node at a numeric address with a port, `1.2.3.4:80` or `[::1]:80`. Tells on the io thread, never from
  /// inside. Callable from any thread.
  void dial(const std::string& address, std::function<void(outcome)> then);

private:
  std::unique_ptr<io_thread> thread_;
  std::shared_ptr<node_link_hub> hub_;
};

} // namespace troupe::net
