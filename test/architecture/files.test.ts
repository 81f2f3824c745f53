import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** The sources in which the pattern occurs. */
function filesWith(pattern: RegExp): string[] {
  return globSync('src/main/**/*.ts', { cwd: ROOT })
    .filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8')))
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
}

test('files are renamed and deleted in one place, which retries while another program has them open', () => {
  const imported = /import \{[^}]*\b(rename|renameSync|unlink|unlinkSync|rm|rmSync)\b[^}]*\} from 'node:fs/
  expect(filesWith(imported)).toEqual(['src/main/store/folder/move.ts'])
})

test('database connections are opened in one place, which makes them durable', () => {
  expect(filesWith(/import Database\b.* from 'better-sqlite3'/)).toEqual([
    // Users' databases, in a separate process.
    'src/main/services/reaching/databases/sqlite-process.ts',
    'src/main/store/sql/connect.ts',
  ])
})
