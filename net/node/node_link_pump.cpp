#include "net/node/node_link_pump.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <unistd.h>
#include <utility>

namespace troupe::net {

namespace asio = boost::asio;

using clock = asio::steady_timer::clock_type;

node_link_pump::node_link_pump(std::shared_ptr<byte_stream> remote, std::string first,
                               std::chrono::milliseconds silence)
    : remote_{std::move(remote)}, local_{remote_->executor()}, first_{std::move(first)},
      from_local_(most_unsent), silence_{silence}, timer_{remote_->executor()} {}

void node_link_pump::start(int local_descriptor, std::function<void()> on_end) {
  ended_ = std::move(on_end);
  error_code error;
  local_.assign(asio::local::stream_protocol{}, local_descriptor, error);
  if (error) {
    ::close(local_descriptor);
    return asio::post(local_.get_executor(), [self = shared_from_this()] { self->finish(); });
  }
  write_local(asio::buffer(first_));
  read_local();
  watch();
}

void node_link_pump::read_remote() {
  is_listening_ = true;
  heard_ = clock::now();
  auto on_read = [self = shared_from_this()](error_code error, std::string_view bytes) {
    self->is_listening_ = false;
    if (error)
      self->finish();
    else
      self->write_local(asio::buffer(bytes.data(), bytes.size()));
  };
  remote_->read(std::move(on_read), most_unsent);
}

/// Who closed the local side may have said something before: its end is noticed by reading, and until then what it
/// does not take is dropped.
void node_link_pump::write_local(asio::const_buffer what) {
  asio::async_write(local_, what, [self = shared_from_this()](error_code, std::size_t) {
    if (self->ended_)
      self->read_remote();
  });
}

void node_link_pump::read_local() {
  auto on_read = [self = shared_from_this()](error_code error, std::size_t size) {
    if (error || !self->ended_)
      self->finish();
    else
      self->write_remote(size);
  };
  local_.async_read_some(asio::buffer(from_local_), on_read);
}

void node_link_pump::write_remote(std::size_t size) {
  remote_->write(asio::buffer(from_local_, size), [self = shared_from_this()](error_code error) {
    if (error)
      self->finish();
    else
      self->read_local();
  });
}

void node_link_pump::watch() {
  timer_.expires_at((is_listening_ ? heard_ : clock::now()) + silence_);
  timer_.async_wait([self = shared_from_this()](error_code error) {
    if (!error && self->ended_)
      self->on_watched();
  });
}

void node_link_pump::on_watched() {
  if (is_listening_ && clock::now() >= heard_ + silence_)
    finish();
  else
    watch();
}

void node_link_pump::finish() {
  auto tell = std::exchange(ended_, nullptr);
  close();
  if (tell)
    tell();
}

void node_link_pump::close() {
  ended_ = nullptr;
  error_code ignored;
  timer_.cancel();
  local_.close(ignored);
}

} // namespace troupe::net
