/**
 * `npm run test:crlf`: builds and tests a copy of the tree in which every line ends with CRLF, like a Windows
 * checkout without `.gitattributes`. Leaves out tests that start the program.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from './lib/build.ts'

const copy = mkdtempSync(join(tmpdir(), 'millrace-crlf-'))
try {
  for (const path of execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0')) {
    if (path === '') continue
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    const bytes = readFileSync(join(ROOT, path))
    const isText = !bytes.subarray(0, 8_000).includes(0)
    writeFileSync(join(copy, path), isText ? bytes.toString().replaceAll(/\r?\n/g, '\r\n') : bytes)
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'junction')
  execFileSync('git', ['init', '-q'], { cwd: copy })
  execFileSync('git', ['add', '-A'], { cwd: copy, stdio: 'ignore' })
  const vitest = [
    join(copy, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--project',
    'parts',
    ...process.argv.slice(2),
  ]
  process.exitCode = [['scripts/build.ts'], vitest]
    .map((args) => spawnSync(process.execPath, args, { cwd: copy, stdio: 'inherit' }).status ?? 1)
    .find((status) => status !== 0)
} finally {
  rmSync(copy, { recursive: true, force: true })
}
