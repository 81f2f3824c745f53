/** Rejects phrases that make a sentence sound translated, in documents, on the page and in messages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFaults } from './prose/find-faults.ts'
import type { Allowed } from './prose/find-faults.ts'
import { readPassages } from './prose/sources.ts'

const ROOT = join(import.meta.dirname, '..')
const allowed = JSON.parse(
  readFileSync(join(import.meta.dirname, 'prose/allowed.json'), 'utf8'),
) as readonly Allowed[]

const { faults, unused } = findFaults(readPassages(ROOT), allowed)
for (const { path, line, rule, found, instead, text } of faults)
  console.log(`${path}:${line}: “${found}” (${rule}): write ${instead}\n    ${text}`)
for (const { path, phrase } of unused)
  console.log(`scripts/prose/allowed.json: “${phrase}” in ${path} is allowed, but isn’t there any more`)
if (faults.length > 0) console.log(`\n${faults.length} phrases to rewrite`)
process.exitCode = faults.length > 0 || unused.length > 0 ? 1 : 0
