/** Fails if the project's URLs, which are only known at release time, are still placeholders. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const PLACEHOLDER = /\bmillrace\.example\b(?!\.)/

const places = globSync(['package.json', '*.md', 'docs/**/*.md'], { cwd: ROOT })
  .toSorted()
  .flatMap((path) =>
    readFileSync(join(ROOT, path), 'utf8')
      .split('\n')
      .flatMap((line, at) => (PLACEHOLDER.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  )
for (const place of places) console.log(place)
if (places.length > 0)
  console.log(`\n${places.length} places have millrace.example instead of a real address`)
process.exitCode = places.length > 0 ? 1 : 0
