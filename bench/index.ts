/** `npm run bench [name…] [-- --threads]`: compares the product with its own limits, on this machine. */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { basename } from 'node:path'
import { ensureBuild } from '../scripts/lib/build.ts'
import { formatFigures, type Benchmark } from './lib/figure.ts'

const known = globSync('*.ts', { cwd: import.meta.dirname })
  .map((file) => basename(file, '.ts'))
  .filter((name) => name !== 'index')
  .toSorted()
const args = process.argv.slice(2)
const wanted = args.filter((name) => name !== '--threads')
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
  process.stdout.write(`\n${benchmark.title} (${circumstances()})\n`)
  process.stdout.write(`${formatFigures(await benchmark.run(wishes))}\n`)
}

/** What a figure has to be read with: other work on the machine slows both programs, but not equally. */
function circumstances(): string {
  const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim()
  return `commit ${commit}, load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`
}
