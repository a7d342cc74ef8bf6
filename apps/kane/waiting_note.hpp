#pragma once
// A line on the terminal that says what the command is doing, whenever nothing has been printed for a second. It disappears
// before anything else is printed. Only if standard error is a terminal; never with --json or --quiet.

namespace kane {

/// Begins to watch. Also makes messages harmless: one that can no longer be delivered (a closed pipe, a full disk) must not
/// end a run, as it would if fmt threw. (On systems without glibc: neither.)
void watch_messages(bool show_notes);

/// Sets the present activity, a short phrase without a full stop; the pointer must stay valid. Null: no note is needed.
void working_on(const char* phrase);

/// Ends the watching; called before the program ends.
void stop_watching();

}  // namespace kane
