/**
 * The figures that `npm run bench -- NAME --record` keeps in `docs/internals/figures.json`, and the tables of them in
 * README and `docs/internals/numbers.md`. No document has such a figure typed by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Figure, figureRow } from '../../bench/lib/figure.ts'
import { ROOT } from './build.ts'

const FILE = join(ROOT, 'docs/internals/figures.json')

/** The figures of one benchmark, and the conditions they were measured under. */
export interface Recorded {
  readonly commit: string
  /** The day, as in `2026-11-28`. */
  readonly date: string
  /** The system's load average over the previous minute. */
  readonly load: number
  readonly machine: string
  readonly figures: readonly Figure[]
}

const readRecorded = () =>
  JSON.parse(readFileSync(FILE, 'utf8')) as { readonly [benchmark: string]: Recorded }

export function record(benchmark: string, recorded: Recorded): void {
  const all = Object.entries({ ...readRecorded(), [benchmark]: recorded })
  const sorted = Object.fromEntries(all.toSorted(([a], [b]) => a.localeCompare(b)))
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** All figures of a benchmark, with the day, the machine and the commit. */
export function writeRecorded(benchmark: string): string {
  const { commit, date, load, machine, figures } = recordedOf(benchmark)
  const rows = figures.map((figure) => figureRow(figure))
  const hasBeside = rows.some(([, , beside]) => beside !== '')
  const kept = (row: readonly string[]) => (hasBeside ? row : [row[0], row[1], row[4], row[5]])
  const lines = [['', 'measured', 'compared with', 'ratio', 'goal', ''], ...rows].map(
    (row) => `| ${kept(row).join(' | ')} |`,
  )
  lines.splice(1, 0, `|${'---|'.repeat(hasBeside ? 6 : 4)}`)
  return `${lines.join('\n')}\n\nCommit \`${commit}\`, ${date}, load ${load} on ${machine}.`
}

/** The figures in README: a label, the benchmark, and the figure's name in it. */
const README: readonly (readonly [string, string, string])[] = [
  ['webhook responses', 'webhook', 'Answered a second, 32 connections'],
  ['webhooks accepted at once and run later', 'webhook', 'Accepted a second, asynchronously'],
  ['start to the first response of a webhook', 'start', 'Start to the first response, median'],
  ['memory, idle', 'start', 'Resident memory, idle'],
]

export function writeReadmeNumbers(): string {
  const rows = README.map(([label, benchmark, what]) => {
    const figure = recordedOf(benchmark).figures.find((one) => one.what === what)
    if (figure === undefined)
      throw new Error(`docs/internals/figures.json has no "${what}" of "npm run bench ${benchmark}"`)
    return `| ${label} | ${figureRow(figure)[1]} | \`npm run bench ${benchmark}\` |`
  })
  return ['| | | measured by |', '|---|---|---|', ...rows].join('\n')
}

function recordedOf(benchmark: string): Recorded {
  const recorded = readRecorded()[benchmark]
  if (recorded === undefined)
    throw new Error(
      `docs/internals/figures.json has no "${benchmark}"; run npm run bench -- ${benchmark} --record`,
    )
  return recorded
}
