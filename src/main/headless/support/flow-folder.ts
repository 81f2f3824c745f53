/** A folder of flows as files. Each problem is reported with its position, and each file is written separately. */
import { trimBoth } from '../../../shared/trim.ts'
import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { englishOf } from '../../../shared/contract/base/message.ts'
import type { FlowSource } from '../../../shared/contract/flow-files.ts'
import { type NormalSource, normalSource, revisionOf } from '../../engine/flow-source/normal-form.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import { nameProblem, twinOf } from '../../services/reaching/step-ports/portable-names.ts'
import { moveFileSync, removeFileSync } from '../../store/index.ts'

export interface FolderFlow {
  /** Name of the file. */
  readonly file: string
  readonly source: FlowSource
  readonly normal: NormalSource
  readonly revision: string
}

export interface FolderFault {
  readonly file: string
  /** Null if the file as a whole is the problem. */
  readonly line: number | null
  readonly message: string
}

export interface FolderContent {
  readonly flows: readonly FolderFlow[]
  readonly faults: readonly FolderFault[]
}

const MOST_BYTES = 16 * 1_048_576
const EXTENSION = /\.ya?ml$/i

/** A file with its text, or the reason why it has none. */
export interface FlowFileText {
  readonly file: string
  readonly text: string | null
  readonly fault: string | null
}

/** Reads only the files directly in the folder, not those in subfolders. A folder that doesn't exist has no flows. */
export function readFlowFiles(folder: string): readonly FlowFileText[] {
  const entries = entriesOf(folder)
    .filter(({ name }) => EXTENSION.test(name) && !name.startsWith('.'))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const names = entries.map(({ name }) => name)
  return entries.map((entry) => {
    const fault = entryProblem(entry, names)
    return fault === null ? readFlowFile(folder, entry.name) : { file: entry.name, text: null, fault }
  })
}

/** Reads a file that the user named, whatever its extension. */
export function readFlowFile(folder: string, file: string): FlowFileText {
  const found = lstatSync(join(folder, file))
  if (!found.isFile()) return { file, text: null, fault: "isn't a file" }
  if (found.size > MOST_BYTES) return { file, text: null, fault: 'is larger than 16 MB' }
  const text = decoded(readFileSync(join(folder, file)))
  return { file, text, fault: text === null ? "isn't text in UTF-8" : null }
}

export async function readFlowFolder(folder: string): Promise<FolderContent> {
  const flows: FolderFlow[] = []
  const faults: FolderFault[] = []
  const { readYaml } = await import('../../engine/flow-source/yaml.ts')
  const byId = new Map<string, string>()
  for (const { file, text, fault } of readFlowFiles(folder)) {
    if (text === null) {
      faults.push({ file, line: null, message: fault ?? '' })
      continue
    }
    const read = readYaml(text)
    if ('faults' in read) {
      faults.push(...read.faults.map((one) => ({ file, ...one })))
    } else {
      const normal = normalSource(read.source)
      const other = byId.get(normal.id)
      if (other !== undefined) {
        const message = `has the same ID as ${other}; remove one of the two, or give it a new ID`
        faults.push({ file, line: read.idLine, message })
      }
      byId.set(normal.id, file)
      flows.push({ file, source: read.source, normal, revision: revisionOf(normal) })
    }
  }
  return { flows, faults }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new HostError(EXIT.failed, `${folder} can't be read as a folder (${code})`, { cause: error })
  }
}

function entryProblem(entry: Dirent, names: readonly string[]): string | null {
  const { name } = entry
  if (entry.isSymbolicLink()) return "is a link, which isn't followed; put the file itself here"
  if (!entry.isFile()) return "isn't a file"
  const problem = nameProblem(name)
  if (problem !== null) return `has a name that ${englishOf(problem)}; rename it`
  const twin = twinOf(
    name,
    names.filter((other) => other !== name),
  )
  if (twin !== null) return `is the same file as ${twin} on Windows and macOS; rename one of them`
  return null
}

function decoded(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** A file name for a flow with this name. `taken` contains the names of other files, which it must not be. */
export function fileNameFor(
  { id, name }: Pick<NormalSource, 'id' | 'name'>,
  taken: readonly string[],
  extension = '.yaml',
): string {
  const words = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  const short = trimBoth([...words].slice(0, LONGEST_NAME).join(''), '-') || 'flow'
  const base = nameProblem(`${short}${extension}`) === null ? short : `flow-${short}`
  const plain = `${base}${extension}`
  const isTaken = taken.includes(plain) || twinOf(plain, taken) !== null
  return isTaken ? `${base}-${id.slice(0, 8)}${extension}` : plain
}

const LONGEST_NAME = 60

/** Replaces the file in one step. A link in its place is replaced, not followed. */
export function writeFlowFile(folder: string, file: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    const draft = join(folder, `.${file}.part`)
    removeFileSync(draft)
    writeFileSync(draft, text, { flag: 'wx' })
    moveFileSync(draft, join(folder, file))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new HostError(EXIT.failed, `${join(folder, file)} can't be written (${code})`, { cause: error })
  }
}

export function removeFlowFile(folder: string, file: string): void {
  removeFileSync(join(folder, file))
}

/** The content that file and flow had in common after the last pull or push. */
export interface SyncedFlow {
  readonly file: string
  readonly flow: string
}

export type Synced = ReadonlyMap<string, SyncedFlow>

const MEMORY = '.millrace'

const memory = z.object({
  version: z.literal(1),
  places: z.record(z.string(), z.record(z.string(), z.object({ file: z.string(), flow: z.string() }))),
})
type Memory = z.output<typeof memory>

/** @param place the Millrace that the folder was synchronized with */
export function readSynced(folder: string, place: string): Synced {
  return new Map(Object.entries(readMemory(folder).places[place] ?? {}))
}

/** Null removes a flow. */
export function writeSynced(
  folder: string,
  place: string,
  changed: ReadonlyMap<string, SyncedFlow | null>,
): void {
  if (changed.size === 0) return
  const { places } = readMemory(folder)
  const flows = new Map(Object.entries(places[place] ?? {}))
  for (const [id, synced] of changed) {
    if (synced === null) flows.delete(id)
    else flows.set(id, synced)
  }
  const next: Memory = { version: 1, places: { ...places, [place]: Object.fromEntries(flows) } }
  const home = join(folder, MEMORY)
  writeFlowFile(home, '.gitignore', '# What this computer last pulled and pushed.\n*\n')
  writeFlowFile(home, 'state.json', `${JSON.stringify(next)}\n`)
}

function readMemory(folder: string): Memory {
  const home = join(folder, MEMORY)
  const found = lstatSync(home, { throwIfNoEntry: false })
  if (found !== undefined && !found.isDirectory())
    throw new HostError(EXIT.failed, `${home} must be a folder; remove it`)
  const file = join(home, 'state.json')
  const nothing: Memory = { version: 1, places: {} }
  const text = lstatSync(file, { throwIfNoEntry: false }) && readFileSync(file, 'utf8')
  if (text === undefined) return nothing
  try {
    return memory.parse(JSON.parse(text))
  } catch (cause) {
    const message = `${file} is damaged; remove it. After that, changes on one side can't be told from conflicts`
    throw new HostError(EXIT.failed, message, { cause })
  }
}
