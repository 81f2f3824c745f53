/** Shell completion of commands, options and values, generated from the table of commands. */
import { EXIT, HostError } from '../../exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import type { CommandEntry, Completion, OptionEntry } from '../support/command-entry.ts'

export const SHELLS = ['bash', 'zsh']

interface Completed {
  readonly shell: string | undefined
  readonly commands: readonly CommandEntry[]
  readonly common: readonly OptionEntry[]
}

/** @throws HostError if the shell isn't supported */
export async function printCompletion(
  { output }: CommandContext,
  { shell = '', commands, common }: Completed,
): Promise<void> {
  if (!SHELLS.includes(shell))
    throw new HostError(EXIT.usage, `Completion is available for ${SHELLS.join(' and ')}, not for "${shell}"`)
  const functions = bashFunction(commands, common)
  const script =
    shell === 'bash'
      ? functions
      : // zsh can run bash completions; loaded from its function path, it completes at once.
        `#compdef millrace\nautoload -U +X compinit && compinit -C\nautoload -U +X bashcompinit && bashcompinit\n${functions}`
  output.answer({ shell, script }, script.trimEnd())
}

/** `${words}` before the current one, without options, are the command's name. */
function bashFunction(commands: readonly CommandEntry[], common: readonly OptionEntry[]): string {
  const groups = new Set(commands.filter(({ name }) => name.includes(' ')).map(({ name }) => firstWord(name)))
  const tops = [...new Set(commands.map(({ name }) => firstWord(name)))]
  const valued = [
    ...new Set([...commands.flatMap(({ options = [] }) => options), ...common].flatMap(valuedOption)),
  ]
  return `_millrace() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" word skip=0 at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      ${valued.join('|')}) skip=1 ;;
      -*) ;;
      *) case "$command" in
           ""|${[...groups].join('|')}) command="\${command:+$command }$word" ;;
         esac ;;
    esac
  done
  case "$command $previous" in
${commands.flatMap((command) => [...(command.options ?? []), ...common].flatMap((option) => valueCase(command, option))).join('\n')}
  esac
  case "$command" in
    "") COMPREPLY=($(compgen -W "${[...tops, 'help'].join(' ')}" -- "$current")) ;;
${[...groups].map((group) => `    "${group}") COMPREPLY=($(compgen -W "${wordsOf(commands, group)}" -- "$current")) ;;`).join('\n')}
${commands.map((command) => commandCase(command, common)).join('\n')}
  esac
}
complete -o filenames -F _millrace millrace
`
}

const firstWord = (name: string) => name.split(' ')[0] ?? name
const nameOf = ({ flags }: OptionEntry) => firstWord(flags)
const valuedOption = (option: OptionEntry) => (option.flags.includes('<') ? [nameOf(option)] : [])

function wordsOf(commands: readonly CommandEntry[], group: string): string {
  return commands
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name }) => name.slice(group.length + 1))
    .join(' ')
}

function valueCase({ name }: CommandEntry, option: OptionEntry): string[] {
  if (!option.flags.includes('<')) return []
  return [`    "${name} ${nameOf(option)}") ${replyWith(option.completes)}; return ;;`]
}

function commandCase(
  { name, arguments: given = [], options = [] }: CommandEntry,
  common: readonly OptionEntry[],
) {
  const flags = [...options, ...common, { flags: '--help' }]
    .map(({ flags: text }) => firstWord(text))
    .join(' ')
  const [argument] = given
  return `    "${name}") if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "${flags}" -- "$current")); else ${replyWith(argument?.completes)}; fi ;;`
}

function replyWith(completes: Completion | undefined): string {
  if (completes === undefined) return 'COMPREPLY=()'
  const action = completes === 'file' ? '-f' : `-W "${completes.join(' ')}"`
  return `COMPREPLY=($(compgen ${action} -- "$current"))`
}
