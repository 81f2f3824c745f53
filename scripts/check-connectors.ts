/**
 * Compares the built-in connectors with public descriptions of their APIs, and records the result in
 * `resources/connector-checks.json`. CONTRIBUTING.md describes how.
 */
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { compare, type ConnectorFile, hashOfCalls } from './connectors/compare.ts'
import { type Description, readDescription } from './connectors/description.ts'

interface Check {
  readonly id: string
  readonly against: string
  /** URL of the description or the documentation. */
  readonly source: string
  readonly version?: string
  readonly checked_on?: string
  /** Number of actions without differences, except those that a note explains. */
  readonly matched?: number
  readonly of?: number
  /** A note that begins with a difference explains why it is intended. */
  readonly notes?: readonly string[]
  readonly hash?: string
  /** The test that replaces a comparison, for connectors of protocols and Millrace's own. */
  readonly test?: string
}

const CHECKS = new URL('../resources/connector-checks.json', import.meta.url)
const CONNECTORS = join(import.meta.dirname, '../resources/connectors')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean' }, read: { type: 'string', multiple: true } },
})
const { read: readByHand = [], write: isWritten = readByHand.length > 0 } = values
const [folder] = positionals
const checks = JSON.parse(readFileSync(CHECKS, 'utf8')) as Record<string, Check>
const today = new Date().toISOString().slice(0, 10)

for (const name of readByHand) record(name, readConnector(name), [])
const names = globSync('*.json', { cwd: CONNECTORS }).map((file) => basename(file, '.json'))
if (folder !== undefined) for (const name of names.toSorted()) compareOne(name, folder)
if (isWritten) writeFileSync(CHECKS, `${JSON.stringify(checks, null, 2)}\n`)

function compareOne(name: string, from: string): void {
  const paths = globSync(`${name}{,.*}.{json,yaml,yml}`, { cwd: from }).toSorted()
  if (paths.length === 0) return
  const file = readConnector(name)
  const parts = paths.map((path) => readDescription(path, readFileSync(join(from, path), 'utf8')))
  const open = [...compare(file, together(parts))].flatMap(([action, all]) =>
    all
      .filter((one) => !checks[name]?.notes?.some((note) => isAbout(note, action, one)))
      .map((one) => ({ action, told: action === '' ? one : `${action}: ${one}` })),
  )
  const versions = new Set(parts.map(({ version }) => version).filter((version) => version !== ''))
  const date = paths.map((path) => statSync(join(from, path)).mtime.toISOString().slice(0, 10)).toSorted()
  const differing = open.map(({ action }) => action)
  record(name, file, differing, [...versions, date.at(-1)].join(', '))
  const { matched, of } = checks[name] ?? {}
  console.log(`${name}: ${matched} of ${of} actions as described`)
  for (const { told } of open) console.log(`    ${told}`)
  if (open.length > 0) process.exitCode = 1
}

function isAbout(note: string, action: string, difference: string): boolean {
  return note.startsWith(difference) || note.startsWith(`${action}: ${difference}`)
}

function record(name: string, file: ConnectorFile, differing: readonly string[], version = ''): void {
  const { id, external_docs: docs = '' } = file.connector
  const { against = '', source = docs, notes } = checks[name] ?? {}
  checks[name] = {
    id,
    against,
    source,
    ...(version !== '' && { version }),
    checked_on: today,
    matched: file.actions.filter((action) => !differing.includes(action.name)).length,
    of: file.actions.length,
    ...(notes && { notes }),
    hash: hashOfCalls(file),
  }
}

function together(parts: readonly Description[]): Description {
  return {
    version: '',
    operations: parts.flatMap(({ operations }) => operations),
    schemes: new Set(parts.flatMap(({ schemes }) => [...schemes])),
    oauthUrls: new Set(parts.flatMap(({ oauthUrls }) => [...oauthUrls])),
  }
}

function readConnector(name: string): ConnectorFile {
  return JSON.parse(readFileSync(join(CONNECTORS, `${name}.json`), 'utf8')) as ConnectorFile
}
