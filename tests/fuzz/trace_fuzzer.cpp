// Whatever the text, the trace reader answers with a trace or with problems. What it accepts is written and
// read again without a change, and the judge comes to a verdict on it.

#include <sstream>
#include <string>

#include "checker/checker.h"
#include "checker/trace_reader.h"
#include "checker/trace_writer.h"
#include "model/check.h"

namespace mirrorproof::fuzzing {
namespace {

void try_text(std::string text) {
  std::istringstream in(std::move(text));
  const checker::ReadTraceResult read = checker::read_trace(in);
  for (const checker::TraceProblem& problem : read.problems) {
    MP_CHECK(!checker::describe(problem).empty(), "a problem has words");
  }
  if (!read.ok()) {
    return;
  }
  const std::string written = checker::trace_to_text(read.trace);
  std::istringstream in_again(written);
  const checker::ReadTraceResult again = checker::read_trace(in_again);
  MP_CHECK(again.ok(), "what the writer wrote is accepted");
  MP_CHECK(checker::trace_to_text(again.trace) == written, "it stays as it is");
  checker::judge(read.trace);
}

}  // namespace
}  // namespace mirrorproof::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mirrorproof::fuzzing::try_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
