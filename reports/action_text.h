#pragma once
// Actions and script steps as one readable line each.

#include <string>

#include "sim/setup.h"

namespace mirrorproof::reports {

/// "fetcher_send: B/0 sends its next request to A/1"
std::string action_text(const sim::Setup& setup, const sim::Action& action);

/// "hold: B/0's fetch", "random: 20 actions", an action's text; without the note.
std::string step_text(const sim::Setup& setup, const sim::ScriptStep& step);

}  // namespace mirrorproof::reports
