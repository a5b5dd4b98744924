#pragma once

#include <string>
#include <sys/types.h>

namespace troupe::deploy {

// Notices to the supervisor by sd_notify(3), a datagram to the socket in NOTIFY_SOCKET. systemd wants them for a unit
// of `Type=notify`. Failures are ignored.

/// Announces that the gateway serves; `status` is a line for people.
void notice_ready(const std::string& status);
/// Announces a reload; `notice_ready` announces its end.
void notice_reloading();
void notice_stopping(const std::string& status);
/// Names the service's main process. Needs `NotifyAccess=all` if the sender is not the main process.
void notice_main_process(pid_t process);
/// Sends a status line; the state is unchanged.
void notice_status(const std::string& status);

} // namespace troupe::deploy
