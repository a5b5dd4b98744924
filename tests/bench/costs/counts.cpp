#include "tests/bench/costs/counts.hpp"

#include <atomic>
#include <caf/all.hpp>
#include <cstdlib>
#include <dlfcn.h>
#include <malloc.h>
#include <new>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

// Overrides functions of the C library and the allocator: definitions of the program take precedence over libraries.

namespace troupe::bench {

static std::atomic<std::size_t> messages;

namespace {

std::atomic<std::size_t> allocations;
std::atomic<std::size_t> allocated_bytes;
std::atomic<std::size_t> system_calls;
std::atomic<std::size_t> held_bytes;
thread_local bool is_left_out = false;

void* allocate(std::size_t size, std::size_t alignment) {
  if (!is_left_out) {
    ++allocations;
    allocated_bytes += size;
  }
  auto rounded = (size + alignment - 1) / alignment * alignment;
  auto result = alignment <= alignof(std::max_align_t) ? std::malloc(size) : std::aligned_alloc(alignment, rounded);
  if (!result)
    throw std::bad_alloc{};
  held_bytes += ::malloc_usable_size(result);
  return result;
}

void release(void* what) {
  held_bytes -= ::malloc_usable_size(what);
  std::free(what);
}

template <class Function>
Function* counted(const char* name) {
  if (!is_left_out)
    ++system_calls;
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

} // namespace

costs costs_so_far() { return {allocations, allocated_bytes, system_calls, messages, held_bytes}; }

void leave_out_this_thread(bool whether) { is_left_out = whether; }

} // namespace troupe::bench

using troupe::bench::counted;
using troupe::bench::release;

void* operator new(std::size_t size) { return troupe::bench::allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return troupe::bench::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* what) noexcept { release(what); }
void operator delete(void* what, std::size_t) noexcept { release(what); }
void operator delete(void* what, std::align_val_t) noexcept { release(what); }
void operator delete(void* what, std::size_t, std::align_val_t) noexcept { release(what); }

/// Every message to an actor passes through this function.
void caf::scheduled_actor::enqueue(caf::mailbox_element_ptr what, caf::execution_unit* at) {
  using function = void (*)(caf::scheduled_actor*, caf::mailbox_element_ptr, caf::execution_unit*);
  constexpr auto name = "_ZN3caf15scheduled_actor7enqueueESt10unique_ptrINS_15mailbox_elementENS_6detail8disposerEEPNS_"
                        "14execution_unitE";
  static const auto next = reinterpret_cast<function>(::dlsym(RTLD_NEXT, name));
  ++troupe::bench::messages;
  next(this, std::move(what), at);
}

extern "C" {

ssize_t read(int from, void* to, std::size_t size) { return counted<decltype(read)>("read")(from, to, size); }
ssize_t write(int to, const void* from, std::size_t size) { return counted<decltype(write)>("write")(to, from, size); }
ssize_t readv(int from, const iovec* to, int count) { return counted<decltype(readv)>("readv")(from, to, count); }
ssize_t writev(int to, const iovec* from, int count) { return counted<decltype(writev)>("writev")(to, from, count); }
ssize_t recv(int from, void* to, std::size_t size, int how) {
  return counted<decltype(recv)>("recv")(from, to, size, how);
}
ssize_t send(int to, const void* from, std::size_t size, int how) {
  return counted<decltype(send)>("send")(to, from, size, how);
}
ssize_t recvmsg(int from, msghdr* to, int how) { return counted<decltype(recvmsg)>("recvmsg")(from, to, how); }
ssize_t sendmsg(int to, const msghdr* from, int how) { return counted<decltype(sendmsg)>("sendmsg")(to, from, how); }
int epoll_wait(int at, epoll_event* events, int most, int time) {
  return counted<decltype(epoll_wait)>("epoll_wait")(at, events, most, time);
}
int epoll_ctl(int at, int what, int descriptor, epoll_event* event) noexcept {
  return counted<decltype(epoll_ctl)>("epoll_ctl")(at, what, descriptor, event);
}
int timerfd_settime(int timer, int how, const itimerspec* to, itimerspec* before) noexcept {
  return counted<decltype(timerfd_settime)>("timerfd_settime")(timer, how, to, before);
}

} // extern "C"
