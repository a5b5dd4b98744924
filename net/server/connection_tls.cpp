#include "net/server/connection_tls.hpp"

#include <boost/asio/error.hpp>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <limits>
#include <new>

namespace troupe::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

std::string utf8_of(const ASN1_STRING* from) {
  unsigned char* text = nullptr;
  const auto size = ASN1_STRING_to_UTF8(&text, from);
  if (size < 0)
    return {};
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owned{text, [](auto* one) { OPENSSL_free(one); }};
  std::string result{reinterpret_cast<const char*>(text), static_cast<std::size_t>(size)};
  auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  return std::ranges::any_of(result, is_control) ? std::string{} : result;
}

bool is_name(const GENERAL_NAME& one) { return one.type == GEN_DNS || one.type == GEN_URI || one.type == GEN_EMAIL; }

/// Returns the first name of a usable kind; null when there is none.
const GENERAL_NAME* first_name(const GENERAL_NAMES* among) {
  for (auto i = 0; i < sk_GENERAL_NAME_num(among); ++i)
    if (auto* one = sk_GENERAL_NAME_value(among, i); is_name(*one))
      return one;
  return nullptr;
}

std::string common_name(const X509* of) {
  auto* subject = X509_get_subject_name(of);
  auto found = -1;
  for (auto next = X509_NAME_get_index_by_NID(subject, NID_commonName, found); next >= 0;
       next = X509_NAME_get_index_by_NID(subject, NID_commonName, found))
    found = next;
  return found < 0 ? std::string{} : utf8_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, found)));
}

int longest_piece(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

/// Returns when the first certificate of the chain expires.
std::chrono::sys_seconds expiry_of_chain(const X509* leaf, const STACK_OF(X509) * chain) {
  auto result = expiry_of(leaf);
  for (auto i = 0; i < sk_X509_num(chain); ++i)
    result = std::min(result, expiry_of(sk_X509_value(chain, i)));
  return result;
}

} // namespace

std::string certificate_name(const X509* certificate) {
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names{
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free};
  const auto* name = names ? first_name(names.get()) : nullptr;
  // All three kinds are the same kind of text.
  return name ? utf8_of(name->d.ia5) : common_name(certificate);
}

connection_tls::connection_tls(const server_tls_context& with, int socket)
    : socket_{socket}, tls_{SSL_new(with.get()), SSL_free}, verified_by_{with} {
  if (!tls_)
    throw std::bad_alloc{};
  use_socket(tls_.get(), socket_);
  SSL_set_accept_state(tls_.get());
}

// -- reading -----------------------------------------------------------------------

/// Reads as many records as there are. An error behind some of them is reported by the next read.
std::size_t connection_tls::read_some(std::span<char> to, error_code& error) {
  error = {};
  not_read_ = {};
  awaits_writing_ = false;
  std::size_t size = 0;
  do {
    ERR_clear_error();
    const auto result = SSL_read(tls_.get(), to.data() + size, longest_piece(to.size() - size));
    if (result > 0)
      size += static_cast<std::size_t>(result);
    else
      not_read_ = on_not_read(result);
  } while (!not_read_ && size < to.size() && SSL_has_pending(tls_.get()) == 1);
  on_open();
  if (size == 0)
    error = not_read_;
  return size;
}

/// A partial record does not count until the rest arrives.
bool connection_tls::has_unread() const {
  return not_read_ ? not_read_ != asio::error::would_block : SSL_has_pending(tls_.get()) == 1;
}

error_code connection_tls::on_not_read(int result) {
  const auto why = SSL_get_error(tls_.get(), result);
  ERR_clear_error();
  awaits_writing_ = why == SSL_ERROR_WANT_WRITE;
  if (awaits_writing_ || why == SSL_ERROR_WANT_READ)
    return asio::error::would_block;
  if (why == SSL_ERROR_ZERO_RETURN)
    return asio::error::eof;
  has_failed_ = true;
  has_refused_ = why == SSL_ERROR_SSL;
  return asio::error::connection_aborted;
}

void connection_tls::on_open() {
  if (is_open_ || SSL_is_init_finished(tls_.get()) != 1)
    return;
  is_open_ = true;
  auto* shown = SSL_get0_peer_certificate(tls_.get());
  if (!shown || SSL_get_verify_result(tls_.get()) != X509_V_OK)
    return;
  certificate_ = certificate_name(shown);
  certificate_until_ = expiry_of_chain(shown, SSL_get0_verified_chain(tls_.get()));
}

bool connection_tls::is_trusted(const server_tls_context& by) {
  if (!is_open_ || by == verified_by_)
    return true;
  verified_by_ = by;
  return is_client_believed(tls_.get(), by.get());
}

connection_tls::time_point connection_tls::await_certificate_end(time_point now) {
  constexpr std::chrono::seconds years = std::chrono::hours{24 * 366 * 10};
  if (has_expired_ || certificate_end_ != time_point::max() || !certificate_until_)
    return certificate_end_;
  const auto today = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  certificate_end_ = now + std::min(*certificate_until_ - today, years);
  return certificate_end_;
}

bool connection_tls::expires(time_point now) {
  if (now < certificate_end_)
    return false;
  certificate_end_ = time_point::max();
  return has_expired_ = true;
}

// -- writing -----------------------------------------------------------------------

/// Writes record by record. A write never waits for the client to send, unless it has sent half of a key update.
std::size_t connection_tls::write(asio::const_buffer from, error_code& error) {
  const auto* bytes = static_cast<const char*>(from.data());
  std::size_t written = 0;
  while (written < from.size() && !error) {
    ERR_clear_error();
    const auto result = SSL_write(tls_.get(), bytes + written, longest_piece(from.size() - written));
    if (result > 0)
      written += static_cast<std::size_t>(result);
    else if (SSL_get_error(tls_.get(), result) == SSL_ERROR_WANT_WRITE)
      error = asio::error::would_block;
    else
      error = asio::error::connection_aborted;
  }
  ERR_clear_error();
  has_failed_ = has_failed_ || error == asio::error::connection_aborted;
  return written;
}

bool connection_tls::write_kept(error_code& error) {
  rest_->consume(write_some(*rest_, error));
  if (asio::buffer_size(*rest_) != 0 && (!error || error == asio::error::would_block)) {
    error = {};
    return false;
  }
  rest_.reset();
  return true;
}

/// Sends the end only between two writes: it would be taken for a part of an incomplete one.
void connection_tls::send_close_notify() {
  if (has_failed_ || rest_ || !is_open_)
    return;
  ERR_clear_error();
  SSL_shutdown(tls_.get());
  ERR_clear_error();
}

} // namespace troupe::net
