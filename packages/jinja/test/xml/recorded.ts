import { readFileSync } from 'node:fs'
import type { Data } from '../../src/data/value.ts'

/** Documents with the results of Python's xmltodict, written by `record.py`. */
export const recorded = readFileSync(new URL('./xmltodict.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { xml: string; value?: Data; error?: true })
