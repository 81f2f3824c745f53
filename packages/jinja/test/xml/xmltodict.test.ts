import { expect, it } from 'vitest'
import { parseXml } from '../../src/xml/parse-xml.ts'
import { recorded } from './recorded.ts'

it('reads every recorded document like xmltodict, in the same order, and rejects what it rejects', () => {
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
