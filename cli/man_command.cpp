// mirrorproof man: the man page, made of what the program knows of itself, so that it is never out of date.

#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/exit_code.h"

namespace mirrorproof::cli {
namespace {

/// Text that troff prints as it is.
std::string troff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string option_text(const CLI::Option& option) {
  std::string name = option.get_positional() ? option.get_name(true) : option.get_name(false, true);
  if (option.get_items_expected_max() > 0 && !option.get_positional()) {
    name += " " + option.get_type_name();
  }
  return fmt::format(".TP\n.B {}\n{}\n", troff(name), troff(option.get_description()));
}

std::string command_text(const CLI::App& command) {
  std::string out = fmt::format(".SS {}\n{}.\n", troff(command.get_name()), troff(command.get_description()));
  for (const CLI::Option* option : command.get_options()) {
    out += option_text(*option);
  }
  const std::string footer = command.get_footer();
  return footer.empty() ? out : out + ".PP\n.nf\n" + troff(footer) + "\n.fi\n";
}

std::string man_page(const CLI::App& program) {
  std::string out = fmt::format(
      ".TH MIRRORPROOF 1 \"\" \"mirrorproof {}\" \"User commands\"\n"
      ".SH NAME\nmirrorproof \\- simulate and judge Kafka cluster mirroring\n"
      ".SH SYNOPSIS\n.B mirrorproof\n.I COMMAND\n[\\fIARGUMENTS\\fR]\n"
      ".SH DESCRIPTION\n{}\n.PP\n"
      "Results go to stdout, diagnostics and progress to stderr. With\n.B \\-\\-json\n"
      "stdout holds one JSON document and nothing else.\n.SH COMMANDS\n",
      troff(MIRRORPROOF_VERSION), troff(program.get_description()));
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    out += command_text(*command);
  }
  return out +
         ".SH EXIT STATUS\n"
         ".TP\n0\nholds, or as the scenario expects\n"
         ".TP\n1\nviolated, or not as expected\n"
         ".TP\n2\nbad usage or bad input; nothing was run\n"
         ".TP\n3\ninconclusive: a script could not be carried out, or a budget ran out\n"
         ".TP\n70\ninternal error\n"
         ".SH ENVIRONMENT\n.TP\nNO_COLOR\nno colours, as with\n.B \\-\\-no\\-color\n"
         ".TP\nGTEST_SHARD_INDEX, GTEST_TOTAL_SHARDS\nwhich shard\n.B fuzz\nruns, unless told with\n"
         ".B \\-\\-shard\n(the index counts from 0)\n"
         ".TP\nJOB_COMPLETION_INDEX, MIRRORPROOF_SHARDS\nthe same in an Indexed Job of Kubernetes\n"
         ".TP\nSLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_COUNT\nthe same in a job array of Slurm\n"
         ".SH FILES\n.TP\nmirrorproof\\-out/\nwhere campaigns save their failures, and how far they have "
         "come (campaign.json), unless told otherwise\n"
         ".SH SEE ALSO\n"
         "docs/claim.md says what a verdict means, docs/scenarios.md how to write a scenario, docs/traces.md "
         "what a "
         "trace is.\n";
}

}  // namespace

Command add_man(CLI::App& app) {
  CLI::App* command = app.add_subcommand("man", "Print the man page");
  command->footer(
      "Examples:\n"
      "  mirrorproof man > mirrorproof.1 && man -l mirrorproof.1\n"
      "Exit codes: 0.");
  const CLI::App* program = &app;
  return {command, [program] {
            Terminal({}).print(man_page(*program));
            return kAsExpected;
          }};
}

}  // namespace mirrorproof::cli
