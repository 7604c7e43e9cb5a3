#include "cli/judged_run.h"

#include "cli/exit_code.h"
#include "reports/run_report.h"
#include "reports/trace_file.h"

namespace mirrorproof::cli {

JudgedRun::JudgedRun(const RunArguments& arguments, std::string product_option)
    : arguments_(arguments), product_option_(std::move(product_option)), terminal_(arguments.output) {
  ok_ = prepare();
}

bool JudgedRun::prepare() {
  input_ = load_input(arguments_.file, arguments_.protocol, terminal_);
  if (!input_) {
    return false;
  }
  if (!arguments_.product.empty()) {
    product_.emplace(arguments_.product);
    if (!product_->ok()) {
      return no_problem({product_option_ + ": " + product_->error()});
    }
  }
  files_.emplace(arguments_.files);
  if (!no_problem(files_->problems())) {
    return false;
  }
  selection_ = select_and_evaluate(*input_, arguments_.seed, terminal_);
  return selection_.has_value();
}

bool JudgedRun::no_problem(const std::vector<std::string>& problems) const {
  return problems.empty() || refuse(terminal_, problems) == 0;
}

bool JudgedRun::write_trace() {
  if (!product_) {
    return true;
  }
  const std::string problem = reports::write_run_trace(scenario(), key(), *product_);
  return problem.empty() || no_problem({product_option_ + ": " + problem});
}

bool JudgedRun::write_product(const std::function<void(std::ostream&)>& write) {
  if (!product_) {
    return true;
  }
  write(product_->stream());
  return product_->commit() || no_problem({product_option_ + ": " + product_->error()});
}

bool JudgedRun::write_reports() {
  write_run_reports(*files_, arguments_.file, *input_, key(), arguments_.protocol,
                    [this]() -> const reports::SeedsEvaluation& { return all(); });
  return no_problem(files_->problems());
}

}  // namespace mirrorproof::cli
