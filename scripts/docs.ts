/** Writes the tables of `docs/reference` that are generated from the contract; a test reports when they are stale. */
import { writeFileSync } from 'node:fs'
import { writeReference } from './lib/reference.ts'

for (const { path, text } of writeReference()) writeFileSync(path, text)
