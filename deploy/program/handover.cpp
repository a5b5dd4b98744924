#include "deploy/program/handover.hpp"

#include "deploy/program/handed_environment.hpp"
#include "deploy/program/handover_process.hpp"
#include "deploy/program/service_notice.hpp"

#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace troupe::deploy {

namespace {

/// A container ends with its first process, whatever else lives in it. That may be one that only waits for this one:
/// what runs containers tells so by this variable, as our images do.
bool ends_its_container() {
  const char* const kind = std::getenv("container");
  return ::getpid() == 1 || (::getppid() == 1 && kind != nullptr && *kind != '\0');
}

/// How long another process may take to begin.
constexpr auto start_patience = std::chrono::minutes{1};
constexpr auto between_refusals = std::chrono::seconds{1};

} // namespace

handover::handover(log_sink log, std::size_t server_descriptors, const process_origin& origin)
    : log_{std::move(log)}, server_descriptors_{server_descriptors}, origin_{origin},
      over_{std::make_shared<descriptor>(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))} {}

handover::~handover() {
  if (link_)
    ::kill(process_, SIGKILL);
}

void handover::begin(const gateway& running, const signal_sender& by) {
  if (may_order(by))
    start(running);
}

bool handover::may_order(const signal_sender& by) {
  const auto why = why_may_not_order(by, own_facts(origin_));
  if (!why.empty() && clock::now() >= next_refusal_) {
    next_refusal_ = clock::now() + between_refusals;
    log_({log_level::warning,
          "SIGUSR2 is not obeyed",
          {{"reason", why}, {"process", std::to_string(by.process)}, {"user", std::to_string(by.user)}}});
  }
  return why.empty();
}

void handover::start(const gateway& running) {
  try {
    if (link_)
      throw std::runtime_error("another process is starting already");
    if (ends_its_container())
      throw std::runtime_error("its container would end with it: start another container");
    const auto sockets = running.sockets();
    const descriptor clients{sockets.clients};
    const descriptor admin{sockets.admin};
    const auto link = make_process_link();
    auto here = std::make_unique<descriptor>(link.here);
    const descriptor there{link.there};
    auto started = start_handover_process(sockets, link.there, server_descriptors_, origin_.lock_limit);
    process_ = started.process;
    environment_ = std::move(started.environment);
    link_ = std::move(here);
    until_ = clock::now() + start_patience;
    log_({log_level::info, "another process starts to take over", {{"process", std::to_string(process_)}}});
  } catch (const std::runtime_error& error) {
    abandon(error.what());
  }
}

void handover::abandon(const std::string& why) {
  log_record told{log_level::error, "no upgrade: this process serves on", {{"reason", why}}};
  if (process_ > 0)
    told.fields.emplace_back("process", std::to_string(process_));
  log_(told);
}

void handover::complete(gateway& running) {
  const auto link = std::exchange(link_, nullptr);
  try {
    if (const auto why = why_not_taken(environment_.number()); !why.empty()) {
      ::kill(process_, SIGTERM);
      throw std::runtime_error{why};
    }
    running.hand_over(link->release(), [over = over_] { ::eventfd_write(over->number(), 1); });
    notice_main_process(process_);
    has_handed_over_ = true;
    log_({log_level::info, "another process has taken over", {{"process", std::to_string(process_)}}});
  } catch (const std::runtime_error& error) {
    abandon(error.what());
  }
}

void handover::give_up_late() {
  if (!link_ || clock::now() < until_)
    return;
  link_.reset();
  ::kill(process_, SIGKILL); // it may be one that a server has stopped
  abandon("the other process has not begun in time");
}

bool handover::is_over() const {
  pollfd over{over_->number(), POLLIN, 0};
  return ::poll(&over, 1, 0) > 0;
}

} // namespace troupe::deploy
