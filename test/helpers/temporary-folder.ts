import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A separate folder that is removed with the test. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Every file below a folder, with its bytes. Equal snapshots mean that nothing was changed. */
export function snapshot(dir: string): Record<string, { bytes: string; mode: string; changed: number }> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).toSorted()
  const files = names.filter((name) => statSync(join(dir, name)).isFile())
  return Object.fromEntries(
    files.map((name) => {
      const { mode, mtimeMs } = statSync(join(dir, name))
      const bytes = readFileSync(join(dir, name)).toString('base64')
      return [name, { bytes, mode: (mode & 0o777).toString(8), changed: mtimeMs }]
    }),
  )
}
