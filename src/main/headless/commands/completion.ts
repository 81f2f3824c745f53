/** Shell completion of commands, options and values, generated from the table of commands. */
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import type { CommandEntry, Completion, OptionEntry } from '../support/command-entry.ts'

/** The script for each shell. All of them find the command among the words, then offer what may follow. */
const SCRIPTS = {
  bash: bashFunction,
  // zsh can run bash completions. Loaded from its function path, the script completes at once.
  zsh: (table: Table) =>
    `#compdef millrace\nautoload -U +X compinit && compinit -C\nautoload -U +X bashcompinit && bashcompinit\n${bashFunction(table)}`,
  fish: fishFunction,
  powershell: powershellBlock,
} as const

export const SHELLS = Object.keys(SCRIPTS) as readonly (keyof typeof SCRIPTS)[]

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
  const known = SHELLS.find((name) => name === shell)
  if (known === undefined)
    throw new HostError(EXIT.usage, `Completion is available for ${SHELLS.join(', ')}, not for "${shell}"`)
  const script = SCRIPTS[known](tableOf(commands, common))
  output.answer({ shell, script }, script.trimEnd())
}

interface Table {
  /** First words of two-word commands. */
  readonly groups: readonly string[]
  /** Options with a value, of all commands. */
  readonly valued: readonly string[]
  /** The values that may follow a command and one of its options, such as `run list --status`. */
  readonly values: readonly (readonly [line: string, Completion | undefined])[]
  /** The words that may come first, and those that may follow each group. */
  readonly words: readonly (readonly [line: string, readonly string[]])[]
  readonly commands: readonly {
    readonly name: string
    readonly options: readonly string[]
    readonly argument: Completion | undefined
  }[]
}

function tableOf(commands: readonly CommandEntry[], common: readonly OptionEntry[]): Table {
  const groups = [
    ...new Set(commands.filter(({ name }) => name.includes(' ')).map(({ name }) => firstWord(name))),
  ]
  const tops = [...new Set(commands.map(({ name }) => firstWord(name)))]
  const secondWords = (group: string) =>
    commands
      .filter(({ name }) => name.startsWith(`${group} `))
      .map(({ name }) => name.slice(group.length + 1))
  const values = commands.flatMap(({ name, options = [] }) =>
    [...options, ...common]
      .filter(({ flags }) => flags.includes('<'))
      .map(({ flags, completes }) => [name, firstWord(flags), completes] as const),
  )
  return {
    groups,
    valued: [...new Set(values.map(([, option]) => option))],
    values: values.map(([name, option, completes]) => [`${name} ${option}`, completes]),
    words: [['', [...tops, 'help']], ...groups.map((group) => [group, secondWords(group)] as const)],
    commands: commands.map(({ name, arguments: [argument] = [], options = [] }) => ({
      name,
      options: [
        ...options.map(({ flags }) => firstWord(flags)),
        ...common.map(({ flags }) => firstWord(flags)),
        '--help',
      ],
      argument: argument?.completes,
    })),
  }
}

const firstWord = (text: string) => text.split(' ')[0] ?? text

function bashFunction({ groups, valued, values, words, commands }: Table): string {
  const offer = (list: readonly string[]) => `COMPREPLY=($(compgen -W "${list.join(' ')}" -- "$current"))`
  const offerAny = (completes: Completion | undefined) =>
    completes === undefined
      ? 'COMPREPLY=()'
      : completes === 'file'
        ? 'COMPREPLY=($(compgen -f -- "$current"))'
        : offer(completes)
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
           ""|${groups.join('|')}) command="\${command:+$command }$word" ;;
         esac ;;
    esac
  done
  case "$command $previous" in
${values.map(([line, completes]) => `    "${line}") ${offerAny(completes)}; return ;;`).join('\n')}
  esac
  case "$command" in
${words.map(([line, list]) => `    "${line}") ${offer(list)} ;;`).join('\n')}
${commands.map(({ name, options, argument }) => `    "${name}") if [[ "$current" == -* ]]; then ${offer(options)}; else ${offerAny(argument)}; fi ;;`).join('\n')}
  esac
}
complete -o filenames -F _millrace millrace
`
}

function fishFunction({ groups, valued, values, words, commands }: Table): string {
  const offer = (list: readonly string[]) => `printf '%s\\n' ${list.join(' ')}`
  const offerAny = (completes: Completion | undefined) =>
    completes === undefined
      ? 'true'
      : completes === 'file'
        ? '__fish_complete_path $current'
        : offer(completes)
  return `function __millrace_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l previous $before[-1]
  set -l command ''
  set -l skip 0
  set -e before[1]
  for word in $before
    if test $skip = 1
      set skip 0
      continue
    end
    switch $word
      case ${valued.join(' ')}
        set skip 1
      case '-*'
      case '*'
        switch "$command"
          case '' ${groups.join(' ')}
            set command (string trim "$command $word")
        end
    end
  end
  switch "$command $previous"
${values.map(([line, completes]) => `    case '${line}'\n      ${offerAny(completes)}\n      return`).join('\n')}
  end
  switch "$command"
${words.map(([line, list]) => `    case '${line}'\n      ${offer(list)}`).join('\n')}
${commands.map(({ name, options, argument }) => `    case '${name}'\n      if string match -q -- '-*' $current\n        ${offer(options)}\n      else\n        ${offerAny(argument)}\n      end`).join('\n')}
  end
end
complete -c millrace -f -a '(__millrace_complete)'
`
}

function powershellBlock({ groups, valued, values, words, commands }: Table): string {
  const list = (texts: readonly string[]) => `@(${texts.map((text) => `'${text}'`).join(', ')})`
  // For files, nothing is returned, so that PowerShell offers them.
  const listOf = (completes: Completion | undefined) =>
    list(completes === undefined || completes === 'file' ? [] : completes)
  return `Register-ArgumentCompleter -Native -CommandName millrace -ScriptBlock {
  param($current, $ast, $cursor)
  $groups = ${list(groups)}
  $valued = ${list(valued)}
  $values = @{
${values.map(([line, completes]) => `    '${line}' = ${listOf(completes)}`).join('\n')}
  }
  $words = @{
${words.map(([line, texts]) => `    '${line}' = ${list(texts)}`).join('\n')}
  }
  $options = @{
${commands.map(({ name, options }) => `    '${name}' = ${list(options)}`).join('\n')}
  }
  $arguments = @{
${commands.map(({ name, argument }) => `    '${name}' = ${listOf(argument)}`).join('\n')}
  }
  $command = ''
  $previous = ''
  $skip = $false
  foreach ($element in ($ast.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursor -and $current -ne '') { break }
    $previous = $element.ToString()
    if ($skip) { $skip = $false; continue }
    if ($valued -contains $previous) { $skip = $true }
    elseif (-not $previous.StartsWith('-') -and ($command -eq '' -or $groups -contains $command)) {
      $command = "$command $previous".Trim()
    }
  }
  $offered = if ($values.ContainsKey("$command $previous")) { $values["$command $previous"] }
    elseif ($words.ContainsKey($command)) { $words[$command] }
    elseif ($current.StartsWith('-')) { $options[$command] }
    else { $arguments[$command] }
  # Nothing is known after a word that isn't a command.
  $offered | Where-Object { $_ -and $_ -like "$current*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`
}
