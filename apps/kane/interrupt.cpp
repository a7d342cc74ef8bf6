#include "apps/kane/interrupt.hpp"

#include <unistd.h>

#include <csignal>

namespace kane {

namespace {

// Seen by a signal handler, which can reach nothing else.
volatile std::sig_atomic_t caught_signal = 0;
volatile std::sig_atomic_t scope_open = 0;
void (*notify_scope)(void*) = nullptr;
void* notified = nullptr;

extern "C" void handle_interrupt(int signal) {
  if (scope_open == 0 || caught_signal != 0) ::_exit(128 + signal);
  caught_signal = signal;
  if (notify_scope != nullptr) notify_scope(notified);
}

}  // namespace

void install_signal_handlers() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    struct sigaction own {};
    own.sa_handler = &handle_interrupt;
    sigemptyset(&own.sa_mask);
    own.sa_flags = SA_RESTART;
    (void)::sigaction(signal, &own, nullptr);
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) (void)std::signal(signal, SIG_IGN);
}

InterruptScope::InterruptScope(void (*notify)(void*), void* with) {
  caught_signal = 0;
  notified = with;
  notify_scope = notify;
  scope_open = 1;
}

InterruptScope::~InterruptScope() {
  scope_open = 0;
  notify_scope = nullptr;
}

int interrupted_by() { return caught_signal; }

void throw_if_interrupted() {
  if (caught_signal != 0) throw Interrupted(caught_signal);
}

}  // namespace kane
