#include "net/node/node_link.hpp"

#include "net/endpoint.hpp"
#include "net/guarded.hpp"
#include "net/node/node_link_connection.hpp"
#include "net/node/node_link_tls.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace troupe::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Out of descriptors, an acceptor that tried again at once would spin.
constexpr auto node_accept_pause = std::chrono::milliseconds{100};
constexpr const char* crowded_out = "too many others came after it before it proved that it is a node";

byte_stream::tls_context tls_of(const node_link_options& options) {
  node_link_files files{options.certificate, options.private_key, options.ca_file};
  if (files.certificate.empty() && files.private_key.empty() && files.ca_file.empty())
    return nullptr;
  return node_link_tls(files);
}

std::string address_of(const tcp::socket& caller) {
  error_code gone;
  return caller.remote_endpoint(gone).address().to_string();
}

} // namespace

/// All links of a node. Lives on the io thread; offers find it from any.
class node_link_hub : public std::enable_shared_from_this<node_link_hub> {
public:
  using outcome = node_links::outcome;
  using link = std::shared_ptr<node_link_connection>;
  /// The thread, as long as the links are there.
  using reachable = guarded<io_thread*>;

  node_link_hub(io_thread& thread, const node_link_options& options, std::function<std::string()> hello,
                std::function<void(node_offer)> on_accepted, node_links::turned_away on_turned_away)
      : thread_{thread}, options_{options}, tls_{tls_of(options)}, hello_{std::move(hello)},
        accepted_{std::move(on_accepted)}, turned_away_{std::move(on_turned_away)},
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

  void dial(const std::string& address, std::function<void(outcome)> then) {
    if (is_closed_)
      return;
    auto to = numeric_endpoint(address);
    if (!to)
      return then(node_links::failure{"it is no numeric address with a port"});
    open(tcp::socket{thread_.context()}, true, std::move(then))->dial(*to);
  }

  void close() {
    is_closed_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (auto& one : std::exchange(all_, {}))
      one->close();
  }

  bool is_closed() const { return is_closed_; }

private:
  void on_accept(error_code error, tcp::socket socket) {
    if (is_closed_)
      return;
    if (error) {
      thread_.at(io_thread::clock::now() + node_accept_pause, [self = shared_from_this()] { self->accept(); });
      return;
    }
    make_room();
    auto then = [self = weak_from_this(), from = address_of(socket)](outcome said) {
      if (auto alive = self.lock())
        alive->on_outcome(from, said);
    };
    open(std::move(socket), false, then)->accept();
    accept();
  }

  /// Who only hears yet why there is no link has had its turn; of the others, the first.
  void make_room() {
    std::vector<link> waiting;
    std::ranges::copy_if(all_, std::back_inserter(waiting), [](auto& one) { return one->is_unproven(); });
    if (waiting.empty() || waiting.size() < options_.most_unproven)
      return;
    auto over = std::ranges::find_if(waiting, [](auto& one) { return one->is_over(); });
    (over == waiting.end() ? waiting.front() : *over)->drop(crowded_out);
  }

  void on_outcome(const std::string& from, outcome& said) {
    if (auto offer = std::get_if<node_offer>(&said))
      accepted_(std::move(*offer));
    else if (turned_away_)
      turned_away_(from, std::get<node_links::failure>(said));
  }

  link open(tcp::socket socket, bool dials, std::function<void(outcome)> then) {
    node_link_handshake handshake{dials, options_.key, hello_()};
    auto slot = std::make_shared<std::weak_ptr<node_link_connection>>();
    node_link_connection::settings settings{tls_, options_.limit, options_.silence, nullptr, nullptr};
    settings.outcome = [hub = weak_from_this(), slot, dials, then = std::move(then)](const std::string& why_not) {
      if (why_not.empty())
        then(node_offer{hub, *slot, dials});
      else
        then(node_links::failure{why_not, slot->lock()->hello(), slot->lock()->is_stranger()});
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
  node_link_options options_;
  byte_stream::tls_context tls_;
  std::function<std::string()> hello_;
  std::function<void(node_offer)> accepted_;
  node_links::turned_away turned_away_;
  tcp::acceptor acceptor_;
  const std::uint16_t port_;
  const std::shared_ptr<reachable> reachable_ = std::make_shared<reachable>(&thread_);
  /// The oldest first.
  std::vector<link> all_;
  bool is_closed_ = false;
};

// -- an offer ----------------------------------------------------------------------------

/// What belongs to the io thread is let go of there alone: from here it is only named.
struct node_offer::link {
  /// Runs `work` on the io thread with the connection, null when that is over, unless the links are gone.
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

node_offer::node_offer(std::weak_ptr<node_link_hub> hub, std::weak_ptr<node_link_connection> link, bool was_dialled)
    : dialled{was_dialled} {
  auto thread = hub.lock()->thread();
  auto hello = link.lock()->hello();
  link_.reset(new node_offer::link{std::move(thread), std::move(hub), std::move(link), std::move(hello)});
}

node_offer::node_offer(node_offer&&) noexcept = default;

node_offer& node_offer::operator=(node_offer&& other) noexcept {
  std::swap(dialled, other.dialled);
  std::swap(link_, other.link_);
  return *this;
}

node_offer::~node_offer() {
  if (link_)
    refuse("nobody took the link");
}

const std::string& node_offer::hello() const { return link_->hello; }

void node_offer::take(owned_descriptor local, std::function<void()> on_closed) {
  if (std::exchange(link_->is_decided, true))
    return;
  auto carried = std::make_shared<owned_descriptor>(std::move(local));
  link_->post([carried, on_closed = std::move(on_closed)](node_link_connection* one) {
    if (one)
      one->take(std::move(*carried), on_closed);
    else
      on_closed();
  });
}

void node_offer::refuse(std::string why) {
  if (std::exchange(link_->is_decided, true))
    return;
  link_->post([why = std::move(why)](node_link_connection* one) {
    if (one)
      one->refuse(why);
  });
}

void node_offer::cut() {
  link_->post([](node_link_connection* one) {
    if (one)
      one->hang_up();
  });
}

// -- the links ---------------------------------------------------------------------------

node_links::node_links(io_thread& thread, const node_link_options& options, std::function<std::string()> hello,
                       std::function<void(node_offer)> on_accepted, turned_away on_turned_away)
    : thread_{thread}, hub_{std::make_shared<node_link_hub>(thread, options, std::move(hello), std::move(on_accepted),
                                                            std::move(on_turned_away))} {
  thread_.post([hub = hub_] { hub->accept(); });
}

node_links::~node_links() {
  hub_->thread()->with([](io_thread*& to) { to = nullptr; });
  thread_.dispatch([hub = hub_] { hub->close(); });
}

std::uint16_t node_links::port() const { return hub_->port(); }

void node_links::dial(const std::string& address, std::function<void(outcome)> then) {
  thread_.post([hub = hub_, address, then = std::move(then)] { hub->dial(address, then); });
}

} // namespace troupe::net
