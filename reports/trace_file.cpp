#include "reports/trace_file.h"

#include "checker/trace_writer.h"

namespace mirrorproof::reports {

std::string write_run_trace(const scenarios::Scenario& scenario, const RunKey& key, AtomicFile& file) {
  if (file.ok()) {
    checker::TraceWriter writer(file.stream(), sim::make_trace_header(scenario.setup, key.seed));
    walk_events(scenario, key, [&](const Event& event) { writer.write(event); });
    writer.flush();
  }
  file.commit();
  return file.error();
}

}  // namespace mirrorproof::reports
