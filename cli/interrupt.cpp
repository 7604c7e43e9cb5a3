#include "cli/interrupt.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <string_view>

#include "cli/exit_code.h"
#include "reports/campaign.h"

namespace mirrorproof::cli {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void remember_interrupt(int) {
  interrupt_seen = 1;
}

/// Only what a signal handler may do: no allocation, no locks, no streams.
void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void last_words(int) {
  const auto [running, seed] = reports::Campaign::seed_under_way();
  if (running) {
    std::array<char, 24> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), seed);
    say("mirrorproof: this happened in seed ");
    say({digits.data(), static_cast<std::size_t>(end - digits.data())});
    say("\n");
  }
  ::_exit(kInternalError);
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

void catch_interrupts() {
  // One shot: the default action, to die, is back for the second.
  for (const int signal : {SIGINT, SIGTERM}) {
    handle(signal, remember_interrupt, static_cast<int>(SA_RESETHAND) | SA_RESTART);
  }
}

bool interrupted() {
  return interrupt_seen != 0;
}

void explain_aborts() {
  handle(SIGABRT, last_words, 0);
}

}  // namespace mirrorproof::cli
