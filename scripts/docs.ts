/** Writes the tables of `docs/reference` that come from the contract; a test says when that is due. */
import { writeFileSync } from 'node:fs'
import { writeReference } from './lib/reference.ts'

for (const { path, text } of writeReference()) writeFileSync(path, text)
