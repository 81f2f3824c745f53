import { readFileSync } from 'node:fs'
import type { Data } from '../../../src/main/engine/data/value.ts'

/** Documents with what Python's xmltodict makes of them, which `record.py` wrote. */
export const recorded = readFileSync(new URL('./xmltodict.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { xml: string; value?: Data; error?: true })
