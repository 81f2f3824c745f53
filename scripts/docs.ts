/**
 * Writes the tables of `docs/reference` that are generated from the contract, and the table of runners; a test reports
 * when they are stale.
 */
import { writeFileSync } from 'node:fs'
import { writeReference } from './lib/reference.ts'
import { writeRunners } from './lib/step-runners.ts'

for (const { path, text } of [...writeReference(), writeRunners()]) writeFileSync(path, text)
