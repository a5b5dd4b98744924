#include "net/server/server_tls.hpp"

#include <openssl/ssl.h>
#include <stdexcept>
#include <utility>

namespace troupe::net {

namespace {

/// All are looked at before one that cannot be read is told of: then that is told once.
std::vector<pem_text> read_pem_files(std::vector<changing_file>& files) {
  std::vector<pem_text> result;
  std::string why_not;
  for (auto& one : files) {
    auto news = one.look();
    if (why_not.empty())
      why_not = news->why_not;
    result.push_back({one.path(), std::move(news->text)});
  }
  if (!why_not.empty())
    throw std::runtime_error(why_not);
  return result;
}

} // namespace

server_tls::server_tls(server_tls_files files, on_change tell, std::chrono::milliseconds pause, on_expiry tell_expired)
    : files_{std::move(files)}, tell_{std::move(tell)},
      tell_expired_{std::move(tell_expired)}, pause_{pause}, look_at_{io_thread::clock::now() + pause} {
  read();
}

const server_tls_context& server_tls::for_connection(io_thread::clock::time_point now) {
  look_when_due(now);
  return context_;
}

bool server_tls::has_news(io_thread::clock::time_point now) {
  look_when_due(now);
  return std::exchange(is_new_, false);
}

void server_tls::look_when_due(io_thread::clock::time_point now) {
  if (now < look_at_)
    return;
  look_at_ = now + pause_;
  look();
  tell_of_expiry();
}

void server_tls::tell_of_expiry() {
  if (is_expiry_told_ || !revocations_expire_ || std::chrono::system_clock::now() < *revocations_expire_)
    return;
  is_expiry_told_ = true;
  if (tell_expired_)
    tell_expired_(files_.client_crl);
}

/// They may be replaced one after the other: what does not fit together is read again with the next of them.
void server_tls::look() {
  if (!has_changed())
    return;
  std::string why_not;
  try {
    read();
    is_new_ = true;
  } catch (const std::runtime_error& error) {
    why_not = error.what();
  }
  if (tell_)
    tell_(why_not);
}

/// Each of them is looked at, so that one change is one, and not three.
bool server_tls::has_changed() {
  bool result = false;
  for (auto& one : read_files_)
    result = one.look().has_value() || result;
  return result;
}

void server_tls::read() {
  read_files_.clear();
  read_files_.emplace_back(files_.certificate, longest_file);
  read_files_.emplace_back(files_.private_key, longest_file);
  for (auto* one : {&files_.client_ca, &files_.client_crl})
    if (!one->empty())
      read_files_.emplace_back(*one, longest_file);
  auto texts = read_pem_files(read_files_);
  server_tls_texts from{std::move(texts[0]), std::move(texts[1]), {}, files_.is_certificate_required};
  if (!files_.client_ca.empty())
    from.client_authorities = std::move(texts[2]);
  if (!files_.client_crl.empty())
    from.client_revocations = std::move(texts.back());
  context_ = make_server_tls_context(from);
  expires_ = expiry_of(SSL_CTX_get0_certificate(context_.get()));
  revocations_expire_ = files_.client_crl.empty() ? std::nullopt : end_of_revocations(from.client_revocations);
  is_expiry_told_ = false;
}

server_tls::time_point expiry_of(const X509* certificate) {
  return seconds_of(X509_get0_notAfter(certificate)).value_or(server_tls::time_point{});
}

} // namespace troupe::net
