/**
 * `npm run bench [name…] [-- --threads] [--record]`: compares Millrace with its own limits, on this machine. `--record`
 * writes the figures into the documents.
 */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, platform } from 'node:os'
import { basename } from 'node:path'
import { ensureBuild } from '../scripts/lib/build.ts'
import { record } from '../scripts/lib/recorded-figures.ts'
import { formatFigures, type Benchmark } from './lib/figure.ts'

const known = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'index')
  .toSorted()
const args = process.argv.slice(2)
const wanted = args.filter((name) => name !== '--threads' && name !== '--record')
const wishes = { threads: args.includes('--threads') }
const unknown = wanted.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no benchmark ${unknown.join(', ')}; there are ${known.join(', ')}\n`)
  process.exit(2)
}

ensureBuild()
for (const name of wanted.length > 0 ? wanted : known) {
  const { benchmark } = (await import(`./${name}.ts`)) as { benchmark: Benchmark }
  if (wanted.length === 0 && benchmark.isLong) continue
  const { commit, load, machine } = circumstances()
  process.stdout.write(`\n${benchmark.title} (commit ${commit}, load ${load} on ${machine})\n`)
  const figures = await benchmark.run(wishes)
  process.stdout.write(`${formatFigures(figures)}\n`)
  if (args.includes('--record'))
    record(name, { commit, date: new Date().toISOString().slice(0, 10), load, machine, figures })
}

/** The conditions of a measurement: other work on the machine slows down both programs, but not equally. */
function circumstances() {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  // Figures recorded by earlier benchmarks of this run don't count as changes to what is measured.
  const changed = git(
    'status',
    '--porcelain',
    '--untracked-files=no',
    '--',
    '.',
    ':!docs/internals/figures.json',
  )
  const commit = `${git('rev-parse', '--short=8', 'HEAD')}${changed === '' ? '' : '-dirty'}`
  const processor = cpus()[0]?.model.replaceAll(/\s+/g, ' ').trim() ?? 'an unknown processor'
  const node = process.versions.node.split('.')[0]
  const machine = `${availableParallelism()} cores (${processor}, ${platform()}, Node ${node})`
  return { commit, load: Number(loadavg()[0]?.toFixed(1)), machine }
}
