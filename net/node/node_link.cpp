#include "net/node/node_link.hpp"

#include "net/endpoint.hpp"
#include "net/guarded.hpp"
#include "net/node/node_link_connection.hpp"
#include "net/node/node_link_tls.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/network_v6.hpp>
#include <map>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Pause after a failed accept: out of descriptors, an acceptor that tried again at once would spin.
constexpr auto node_accept_pause = std::chrono::milliseconds{100};
constexpr const char* crowded_out = "too many others came after it before it proved that it is a node";

/// Returns the unit that limits count by. A host with one IPv6 address has all of its network.
std::string neighbourhood_of(const asio::ip::address& address) {
  if (address.is_v4())
    return address.to_string();
  const auto six = address.to_v6();
  if (six.is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, six).to_string();
  return asio::ip::make_network_v6(six, 64).canonical().to_string();
}

} // namespace

/// All links of a node. Lives on the links' own thread; offers reach it from any.
class node_link_hub : public std::enable_shared_from_this<node_link_hub> {
public:
  using outcome = node_links::outcome;
  using link = std::shared_ptr<node_link_connection>;
  /// Callbacks, destroyed on the thread that they run on, and so kept apart from the rest.
  struct callbacks {
    std::function<void(pending_link)> accepted;
    node_links::reject_callback reject_callback;
  };
  /// The thread; null once the links are destroyed.
  using reachable = guarded<io_thread*>;

  node_link_hub(io_thread& thread, io_thread& told, const node_link_options& options, std::string hello,
                std::function<void(pending_link)> on_accepted, node_links::reject_callback on_rejected)
      : thread_{thread}, told_{told}, options_{options},
        trust_{{options.certificate, options.private_key, options.ca_file}, options.keys}, hello_{std::move(hello)},
        callbacks_{std::make_shared<const callbacks>(callbacks{std::move(on_accepted), std::move(on_rejected)})},
        acceptor_{listen_at(thread.context(), options.host, options.port)}, port_{acceptor_.local_endpoint().port()} {}

  std::uint16_t port() const { return port_; }
  const std::shared_ptr<reachable>& thread() const { return reachable_; }

  void accept() {
    if (is_closed_)
      return;
    acceptor_.async_accept([self = shared_from_this()](error_code error, tcp::socket socket) {
      self->on_accept(error, std::move(socket));
    });
  }

  void look_for_keys() {
    if (is_closed_ || !options_.look_for_keys)
      return;
    if (auto keys = options_.look_for_keys())
      use(std::move(*keys));
    look_ = thread_.at(io_thread::clock::now() + options_.key_pause, [self = weak_from_this()] {
      if (auto alive = self.lock())
        alive->look_for_keys();
    });
  }

  void dial(const std::string& address, const std::function<void(outcome)>& then) {
    if (is_closed_)
      return;
    auto answer = [self = weak_from_this(), then](outcome said) {
      auto carried = std::make_shared<outcome>(std::move(said));
      if (auto alive = self.lock())
        alive->tell([then, carried] { then(std::move(*carried)); });
    };
    auto to = numeric_endpoint(address);
    if (!to)
      answer(node_links::failure{"it is no numeric address with a port"});
    else
      open(tcp::socket{thread_.context()}, true, {}, answer)->dial(*to);
  }

  /// Runs a callback on the user's io thread, unless the links were destroyed by then.
  void tell(std::function<void()> what) {
    told_.post([listens = listens_, what = std::move(what)] {
      if (*listens)
        what();
    });
  }
  /// Prevents all further callbacks. Callable from any thread.
  void tell_no_more() { *listens_ = false; }

  void close() {
    is_closed_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    thread_.cancel(pause_);
    thread_.cancel(look_);
    for (auto& one : std::exchange(all_, {}))
      one->close();
  }

  bool is_closed() const { return is_closed_; }

private:
  void use(std::vector<std::string> keys) {
    options_.keys = std::move(keys);
    trust_.use(options_.keys);
    auto is_left_over = [this](auto& one) { return one->is_by_another_key(options_.keys); };
    const auto left_over = static_cast<std::size_t>(std::ranges::count_if(all_, is_left_over));
    if (options_.on_new_keys)
      tell([to = options_.on_new_keys, known = options_.keys.size(), left_over] { to(known, left_over); });
  }

  void on_accept(error_code error, tcp::socket socket) {
    if (is_closed_)
      return;
    if (error) {
      auto again = [self = weak_from_this()] {
        if (auto alive = self.lock())
          alive->accept();
      };
      pause_ = thread_.at(io_thread::clock::now() + node_accept_pause, again);
      return;
    }
    error_code gone;
    const auto from = socket.remote_endpoint(gone).address();
    const auto neighbourhood = neighbourhood_of(from);
    make_room(neighbourhood);
    auto then = [self = weak_from_this(), from = from.to_string()](outcome said) {
      if (auto alive = self.lock())
        alive->on_outcome(from, said);
    };
    open(std::move(socket), false, neighbourhood, then)->accept();
    accept();
  }

  void make_room(const std::string& newcomer) {
    std::vector<link> waiting;
    std::ranges::copy_if(all_, std::back_inserter(waiting), [](auto& one) { return one->is_unproven(); });
    std::map<std::string, std::size_t> from;
    for (auto& one : waiting)
      ++from[one->neighbourhood()];
    if (from[newcomer] >= options_.max_unauthenticated_each)
      drop_one(waiting, newcomer);
    else if (!waiting.empty() && waiting.size() >= options_.max_unauthenticated)
      drop_one(waiting, std::ranges::max_element(from, {}, [](auto& one) { return one.second; })->first);
  }

  /// Drops a connection that is over and only reports why; if there is none, the oldest.
  static void drop_one(const std::vector<link>& waiting, const std::string& of) {
    std::vector<link> theirs;
    std::ranges::copy_if(waiting, std::back_inserter(theirs), [&](auto& one) { return one->neighbourhood() == of; });
    auto over = std::ranges::find_if(theirs, [](auto& one) { return one->is_over(); });
    (over == theirs.end() ? theirs.front() : *over)->drop(crowded_out);
  }

  void on_outcome(const std::string& from, outcome& said) {
    auto carried = std::make_shared<outcome>(std::move(said));
    tell([to = callbacks_, from, carried] {
      if (auto offer = std::get_if<pending_link>(carried.get()))
        to->accepted(std::move(*offer));
      else if (to->reject_callback)
        to->reject_callback(from, std::get<node_links::failure>(*carried));
    });
  }

  byte_stream::tls_context trusted() {
    auto news = trust_.look();
    if (news && options_.on_new_files)
      tell([to = options_.on_new_files, why_not = *news] { to(why_not); });
    return trust_.context();
  }

  link open(tcp::socket socket, bool dials, std::string neighbourhood, std::function<void(outcome)> then) {
    node_link_handshake handshake{dials, options_.keys, hello_};
    auto slot = std::make_shared<std::weak_ptr<node_link_connection>>();
    auto post = [thread = reachable_](std::function<void()> work) {
      thread->with([&](io_thread* to) {
        if (to)
          to->post(std::move(work));
      });
    };
    node_link_connection::settings settings{
        trusted(), std::move(neighbourhood), options_.limit, options_.silence, post, nullptr, nullptr};
    settings.outcome = [hub = weak_from_this(), slot, dials, then = std::move(then)](const std::string& why_not) {
      if (why_not.empty())
        then(pending_link{hub, *slot, dials});
      else
        then(node_links::failure{why_not, slot->lock()->hello(), slot->lock()->is_stranger(),
                                 slot->lock()->is_refused()});
    };
    settings.ended = [hub = weak_from_this(), slot] {
      if (auto alive = hub.lock())
        std::erase(alive->all_, slot->lock());
    };
    auto made = std::make_shared<node_link_connection>(std::move(socket), std::move(handshake), std::move(settings));
    *slot = made;
    all_.push_back(made);
    return made;
  }

  io_thread& thread_;
  io_thread& told_;
  const std::shared_ptr<std::atomic<bool>> listens_ = std::make_shared<std::atomic<bool>>(true);
  node_link_options options_;
  node_link_trust trust_;
  const std::string hello_;
  const std::shared_ptr<const callbacks> callbacks_;
  tcp::acceptor acceptor_;
  const std::uint16_t port_;
  const std::shared_ptr<reachable> reachable_ = std::make_shared<reachable>(&thread_);
  /// All connections, the oldest first.
  std::vector<link> all_;
  io_thread::timer_id pause_;
  io_thread::timer_id look_;
  bool is_closed_ = false;
};

// -- an offer ----------------------------------------------------------------------------

/// Names the objects of the links' thread without owning them: they are destroyed on that thread alone.
struct pending_link::link {
  /// Runs `work` on the links' thread with the connection, null when that is over, unless the links are gone.
  void post(std::function<void(node_link_connection*)> work) const {
    thread->with([&](io_thread* to) {
      if (!to)
        return;
      to->post([hub = hub, connection = connection, work = std::move(work)] {
        if (auto alive = hub.lock(); alive && !alive->is_closed())
          work(connection.lock().get());
      });
    });
  }

  std::shared_ptr<node_link_hub::reachable> thread;
  std::weak_ptr<node_link_hub> hub;
  std::weak_ptr<node_link_connection> connection;
  std::string hello;
  bool is_decided = false;
};

pending_link::pending_link(std::weak_ptr<node_link_hub> hub, std::weak_ptr<node_link_connection> link, bool was_dialled)
    : dialled{was_dialled} {
  auto thread = hub.lock()->thread();
  auto hello = link.lock()->hello();
  link_.reset(new pending_link::link{std::move(thread), std::move(hub), std::move(link), std::move(hello)});
}

pending_link::pending_link(pending_link&&) noexcept = default;

pending_link& pending_link::operator=(pending_link&& other) noexcept {
  std::swap(dialled, other.dialled);
  std::swap(link_, other.link_);
  return *this;
}

pending_link::~pending_link() {
  if (link_)
    refuse("nobody took the link");
}

const std::string& pending_link::hello() const { return link_->hello; }

void pending_link::accept(std::function<void(std::shared_ptr<node_link_stream>)> on_open,
                          std::function<void()> on_closed) {
  if (std::exchange(link_->is_decided, true))
    return;
  auto opened = [hub = link_->hub, on_open = std::move(on_open)](std::shared_ptr<node_link_stream> bytes) {
    if (auto alive = hub.lock())
      alive->tell([on_open, bytes = std::move(bytes)] { on_open(bytes); });
  };
  auto told = [hub = link_->hub, on_closed = std::move(on_closed)] {
    if (auto alive = hub.lock())
      alive->tell(on_closed);
  };
  link_->post([opened = std::move(opened), told = std::move(told)](node_link_connection* one) {
    if (one)
      one->consent(opened, told);
    else
      told();
  });
}

void pending_link::refuse(std::string why) {
  if (std::exchange(link_->is_decided, true))
    return;
  link_->post([why = std::move(why)](node_link_connection* one) {
    if (one)
      one->refuse(why);
  });
}

void pending_link::cut() {
  link_->post([](node_link_connection* one) {
    if (one)
      one->disconnect();
  });
}

// -- the links ---------------------------------------------------------------------------

node_links::node_links(io_thread& thread, const node_link_options& options, std::string hello,
                       std::function<void(pending_link)> on_accepted, reject_callback on_rejected)
    : thread_{std::make_unique<io_thread>()}, hub_{std::make_shared<node_link_hub>(
                                                  *thread_, thread, options, std::move(hello), std::move(on_accepted),
                                                  std::move(on_rejected))} {
  thread_->post([hub = hub_] {
    hub->accept();
    hub->look_for_keys();
  });
}

node_links::~node_links() {
  hub_->tell_no_more();
  hub_->thread()->with([](io_thread*& to) { to = nullptr; });
  thread_->post([hub = std::move(hub_)] { hub->close(); });
}

std::uint16_t node_links::port() const { return hub_->port(); }

void node_links::dial(const std::string& address, std::function<void(outcome)> then) {
  thread_->post([hub = hub_, address, then = std::move(then)] { hub->dial(address, then); });
}

} // namespace troupe::net
