#pragma once
// Design studies of `kane sweep`: --minimize, --maximize, --subject-to.

#include "apps/kane/study_source.hpp"

namespace kane {

/// Searches, keeps every run in the store, and prints the best. A search that was stopped continues: the runs it has are not made
/// again.
void run_search(const StudySource& source, const Sweep& sweep, bool fresh, bool json);

}  // namespace kane
