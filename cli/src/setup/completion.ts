import { type Command, Argument } from 'commander';

/** `agentmesh completion`: scripts for shells. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands: source <(agentmesh completion bash)')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: 'bash' | 'zsh' | 'fish') => void process.stdout.write(scripts[shell](wordsOf(program))));
}

/** Names of the commands, each with the names of its own. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): Words {
  return new Map(program.commands.map((command) => [command.name(), command.commands.map((it) => it.name())]));
}

const scripts: Readonly<Record<'bash' | 'zsh' | 'fish', (words: Words) => string>> = {
  bash,
  // zsh runs completions of bash.
  zsh: (words) => `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`,
  fish,
};

function bash(words: Words): string {
  const cases = Array.from(words).filter(([, names]) => names.length > 0);
  return `_agentmesh() {
  local words=
  if [ "$COMP_CWORD" = 1 ]; then words="${[...words.keys()].join(' ')}"
  elif [ "$COMP_CWORD" = 2 ]; then case "\${COMP_WORDS[1]}" in
${cases.map(([name, names]) => `    ${name}) words="${names.join(' ')}" ;;`).join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _agentmesh agentmesh
`;
}

function fish(words: Words): string {
  const first = `complete -c agentmesh -n __fish_use_subcommand -xa "${[...words.keys()].join(' ')}"\n`;
  const cases = Array.from(words).filter(([, names]) => names.length > 0);
  return (
    first +
    cases
      .map(
        ([name, names]) => `complete -c agentmesh -n "__fish_seen_subcommand_from ${name}" -xa "${names.join(' ')}"\n`,
      )
      .join('')
  );
}
