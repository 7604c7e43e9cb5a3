#include "checker/checker.h"

#include <optional>
#include <utility>

#include "checker/event_judge.h"
#include "checker/judge_state.h"

namespace mirrorproof::checker {

/// The judge, and how its state is saved and loaded.
class Checker::Impl {
 public:
  explicit Impl(TraceHeader header, bool forgetful = false) : judge(std::move(header), forgetful) {}

  void save(std::span<const WorldGhost> ghosts, const WorldFacts& facts, const JudgeMemory* memory,
            StateSections& out) {
    JudgeState::save(judge.parts(), ghosts, facts, memory, out);
  }
  EventId load(std::span<WorldGhost> ghosts, std::span<const SectionView> sections) {
    judge.forget_findings();
    return JudgeState::load(judge.parts(), ghosts, sections, nullptr);
  }
  EventId load_and_remember(std::span<WorldGhost> ghosts, std::span<const SectionView> sections) {
    if (memory_) {
      go_back();
    } else {
      memory_.emplace(judge.parts());
    }
    return JudgeState::load(judge.parts(), ghosts, sections, &*memory_);
  }
  void go_back() {
    judge.forget_findings();
    memory_->go_back(judge.parts());
  }
  const JudgeMemory& memory() { return *memory_; }

  EventJudge judge;

 private:
  std::optional<JudgeMemory> memory_;
};

Checker::Checker(TraceHeader header) : impl_(std::make_unique<Impl>(std::move(header))) {}
Checker::Checker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Checker Checker::forgetful(TraceHeader header) {
  return Checker(std::make_unique<Impl>(std::move(header), true));
}
Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;

void Checker::observe(const Event& event) {
  impl_->judge.observe(event);
}

Judgement Checker::finish() {
  return impl_->judge.finish();
}

std::size_t Checker::violation_count() const {
  return impl_->judge.violation_count();
}

bool Checker::found(Invariant invariant, std::string_view kind) const {
  return impl_->judge.found(invariant, kind);
}

std::span<const Violation> Checker::violations_so_far() const {
  return impl_->judge.violations_so_far();
}

void Checker::observe_step(std::span<const Event> events) {
  for (const Event& event : events) {
    impl_->judge.observe(event);
  }
  impl_->judge.end_step();
}

bool Checker::has_undecided() const {
  return impl_->judge.has_undecided();
}

void Checker::save(std::span<const WorldGhost> ghosts, const WorldFacts& facts, StateSections& out) {
  impl_->save(ghosts, facts, nullptr, out);
}

EventId Checker::load(std::span<WorldGhost> ghosts, std::span<const SectionView> sections) {
  return impl_->load(ghosts, sections);
}

EventId Checker::load_and_remember(std::span<WorldGhost> ghosts, std::span<const SectionView> sections) {
  return impl_->load_and_remember(ghosts, sections);
}

void Checker::save_changes(std::span<const WorldGhost> ghosts, const WorldFacts& facts, StateSections& out) {
  impl_->save(ghosts, facts, &impl_->memory(), out);
}

void Checker::go_back() {
  impl_->go_back();
}

void Checker::rename_brokers(ClusterId cluster, std::span<const BrokerId> names) {
  JudgeState::rename_brokers(impl_->judge.parts(), cluster, names);
}

Judgement judge(const Trace& trace) {
  Checker checker(trace.header);
  for (const Event& event : trace.events) {
    checker.observe(event);
  }
  return checker.finish();
}

}  // namespace mirrorproof::checker
