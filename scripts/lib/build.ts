/** Keeps `out/` up to date with the sources, so that the program always runs the current ones. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')
const STAMP = join(ROOT, 'out/build.stamp')
const INPUTS = [
  'src/**/*',
  'packages/*/{package.json,src/**/*}',
  'resources/**/*',
  // The help in the app.
  'docs/**/*.md',
  'electron.vite.config.ts',
  'package.json',
  'package-lock.json',
]

/** Builds if `out/` is stale; reports on stderr, which leaves stdout to the program. */
export function ensureBuild(): void {
  if (lastBuilt() === fingerprint()) return
  process.stderr.write('Building Millrace …\n')
  build('pipe')
}

/** @throws Error with the build's output if it wasn't shown already */
export function build(output: 'inherit' | 'pipe'): void {
  const built = fingerprint()
  // An aborted build must not pass for the previous one.
  rmSync(STAMP, { force: true })
  const cli = join(ROOT, 'node_modules/electron-vite/bin/electron-vite.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'build'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', output, output],
  })
  if (status !== 0) throw new Error(`The build failed\n${stdout ?? ''}${stderr ?? ''}`)
  writeFileSync(STAMP, built)
}

function lastBuilt(): string | null {
  try {
    return readFileSync(STAMP, 'utf8')
  } catch {
    return null
  }
}

/** Made from names, sizes and times, so that removed and replaced files count as well as edited ones. */
function fingerprint(): string {
  const hash = createHash('sha256')
  for (const path of globSync(INPUTS, { cwd: ROOT }).toSorted()) {
    const { size, mtimeMs } = statSync(join(ROOT, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}
