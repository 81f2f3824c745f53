import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parseXml } from '../../../src/main/engine/xml/parse-xml.ts'

/** `record.py` beside this file wrote the cases with the Python package itself. */
const recorded = readFileSync(new URL('./xmltodict.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { xml: string; value?: unknown; error?: true })

it('makes of every recorded document what xmltodict makes of it, in the same order, and refuses what it refuses', () => {
  const differing = recorded
    .map((recording) => ({ ...recording, ours: read(recording.xml) }))
    .filter(({ value, error, ours }) => ours !== (error ? 'refused' : JSON.stringify(value)))
  expect(differing).toEqual([])
  expect(recorded.filter(({ error }) => error).length).toBeGreaterThan(150)
  expect(recorded.filter(({ error }) => !error).length).toBeGreaterThan(300)
})

function read(xml: string): string {
  try {
    return JSON.stringify(parseXml(xml))
  } catch {
    return 'refused'
  }
}
