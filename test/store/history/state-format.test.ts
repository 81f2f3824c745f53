import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aFlow, aFlowRun } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'

const filesOf = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).map((name) => statSync(join(folder, name)).size) : []

it('keeps short states as they are, compresses longer ones, and stores large ones in a file of the run', async () => {
  const store = await aStore()
  const flow = aFlow()
  await store.write(() => store.flows.insert(flow))
  const noise = Array.from({ length: 100_000 }, (_, at) => Math.sin(at).toString(36)).join()
  const texts = {
    short: '{"a":1}',
    repeated: `["${'x'.repeat(300_000)}"]`,
    large: `["${noise} sk_live_secret"]`,
  }
  const seen: Record<string, unknown> = {}
  for (const [name, text] of Object.entries(texts)) {
    const id = store.flowRuns.newId()
    await store.write(() => {
      store.flowRuns.insert(aFlowRun({ id, flow_id: flow.id }), { state: [text] })
      store.runStates.save(id, 1, text)
    })
    const [first, second] = store.runStates.of(id)
    const files = filesOf(join(store.dataDir, 'records', id))
    seen[name] = [first === text, second === text, files.length, files.every((size) => size < text.length)]
  }
  expect(seen).toEqual({
    short: [true, true, 0, true],
    repeated: [true, true, 0, true],
    large: [true, true, 2, true],
  })
})
