/** Checks flows in files, and shows each problem with its place, the text around it, and its fix. */
import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FlowProblem } from '../../../shared/contract/base/flow-problem.ts'
import { checkFlowSourceRoute } from '../../../shared/contract/flow-files.ts'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { FlowDocument } from '../../engine/flow-source/flow-document.ts'
import type { CommandContext } from '../support/command-context.ts'
import { type FlowFileText, readFlowFile, readFlowFiles, writeFlowFile } from '../support/flow-folder.ts'
import type { HostClient } from '../support/host-client.ts'
import { remoteHost } from '../support/remote-host.ts'
import { withHost } from '../support/with-host.ts'

const DEFAULT_FOLDER = 'flows'
/** A fix can reveal the next problem. */
const MOST_ROUNDS = 20

export interface FlowCheckOptions {
  readonly fix?: boolean
  readonly url?: string
}

/** Exits with 1 if there are errors; warnings alone don't fail. */
export async function checkFlows(
  { config, output }: CommandContext,
  { fix = false, url }: FlowCheckOptions,
  path: string = DEFAULT_FOLDER,
): Promise<ExitCode> {
  const [folder, files] = filesAt(path)
  const work = async (host: HostClient) => {
    const checked: CheckedFile[] = []
    for (const file of files) {
      output.progress({ text: file.file, share: { done: checked.length, total: files.length } })
      checked.push(await checkFile(host, folder, file, fix))
    }
    return checked
  }
  const checked = url === undefined ? await withHost(config, work) : await work(remoteHost(url))
  const problems = checked.flatMap((one) => one.problems)
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const fixed = checked.flatMap((one) => one.fixed).length
  const counts = [
    `${files.length} ${files.length === 1 ? 'file' : 'files'}`,
    `${errors} ${errors === 1 ? 'error' : 'errors'}`,
    `${problems.length - errors} ${problems.length - errors === 1 ? 'warning' : 'warnings'}`,
    ...(fix ? [`${fixed} fixed`] : []),
  ]
  const text = [...checked.flatMap(linesOf), counts.join(', ')].join('\n')
  output.answer({ files: checked, errors, warnings: problems.length - errors, fixed }, text)
  return errors > 0 ? EXIT.failed : EXIT.ok
}

function filesAt(path: string): [folder: string, files: readonly FlowFileText[]] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined)
    throw new HostError(EXIT.failed, `There is no file or folder ${path}; name one that contains flows`)
  return found.isDirectory()
    ? [path, readFlowFiles(path)]
    : [dirname(path), [readFlowFile(dirname(path), basename(path))]]
}

/** A problem with its position in the file. */
interface FileProblem extends Pick<FlowProblem, 'severity' | 'ref_id' | 'field' | 'message'> {
  /** Line in the file, counted from 1. */
  readonly line: number
  readonly column: number
  /** The line of the template, and the column of the problem in it. */
  readonly template: { readonly text: string; readonly column: number } | null
  readonly fix: FlowProblem['fix']
}

interface CheckedFile {
  readonly file: string
  readonly problems: readonly FileProblem[]
  /** Descriptions of the fixes that were applied. */
  readonly fixed: readonly string[]
}

async function checkFile(
  host: HostClient,
  folder: string,
  { file, text, fault }: FlowFileText,
  wantsFixes: boolean,
): Promise<CheckedFile> {
  const shown = join(folder, file)
  if (text === null) return { file: shown, problems: [faultAt(1, fault ?? '')], fixed: [] }
  const { readFlowDocument } = await import('../../engine/flow-source/flow-document.ts')
  const document = readFlowDocument(text)
  if (document === null) return { file: shown, problems: await faultsOf(text), fixed: [] }
  const problemsOf = async ({ source }: FlowDocument) =>
    (await host.call(checkFlowSourceRoute, { body: { source: source as never } })).problems
  let current = document
  let problems = await problemsOf(current)
  const fixed: string[] = []
  const rounds = wantsFixes ? MOST_ROUNDS : 0
  for (let round = 0; round < rounds; round++) {
    const fix = problems.map((one) => one.fix).find((one) => one?.safe === true)
    if (!fix || !current.apply(fix.edits)) break
    const next = readFlowDocument(current.toString())
    if (next === null) break
    current = next
    problems = await problemsOf(current)
    fixed.push(fix.title)
  }
  if (fixed.length > 0) writeFlowFile(folder, file, current.toString())
  return { file: shown, problems: problems.map((one) => inFile(one, current)), fixed }
}

async function faultsOf(text: string): Promise<FileProblem[]> {
  const { readYaml } = await import('../../engine/flow-source/yaml.ts')
  const read = readYaml(text)
  return 'faults' in read ? read.faults.map(({ line, message }) => faultAt(line, message)) : []
}

const faultAt = (line: number, message: string): FileProblem => ({
  severity: 'error',
  ref_id: null,
  field: '',
  message,
  line,
  column: 1,
  template: null,
  fix: null,
})

function inFile(problem: FlowProblem, document: FlowDocument): FileProblem {
  const { severity, ref_id, field, path, message, line, column, fix } = problem
  const at = line === null || column === null ? null : { line, column }
  const text = at === null ? null : (document.textAt(path)?.split(/\r?\n/)[at.line - 1] ?? null)
  const place = document.placeOf(path, at)
  const template = at === null || text === null ? null : { text, column: at.column }
  return { severity, ref_id, field, message, ...place, template, fix }
}

function linesOf({ file, problems, fixed }: CheckedFile): string[] {
  return [
    ...fixed.map((title) => `${file}: fixed: ${title}`),
    ...problems.flatMap(({ severity, ref_id: ref, field, message, line, column, template, fix }) => [
      `${file}:${line}:${column}: ${severity}: ${subjectOf(ref, field)}${message}`,
      ...(template === null ? [] : withCaret(template.text, template.column)),
      ...(fix === null ? [] : [`    ${fix.safe ? 'fix' : 'possible fix'}: ${fix.title}`]),
    ]),
  ]
}

function subjectOf(ref: string | null, field: string): string {
  if (ref === null) return field === '' ? '' : `"${field}" `
  return field === '' ? `step "${ref}" ` : `step "${ref}", ${field}: `
}

const WIDEST = 100

/** The part of a line around a column (counted in characters), with a mark below that column. */
function withCaret(text: string, column: number): string[] {
  const characters = Array.from(text.replaceAll('\t', ' '))
  const start = Math.max(0, Math.min(column - WIDEST / 2, characters.length - WIDEST))
  return [
    `    ${characters.slice(start, start + WIDEST).join('')}`,
    `    ${' '.repeat(Math.max(0, column - 1 - start))}^`,
  ]
}
