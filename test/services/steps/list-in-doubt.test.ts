import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const MISSPELT = { response_jsonpath: '$.d', query: '{"after": "{{ previous_request.paging.next.aftr }}"}' }

async function replacing(doubt: { readonly list?: string; readonly sink?: string }) {
  const api = await startThirdPartyApi((_, response) => {
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ d: [{ id: 1 }], paging: { next: { after: 'b' } } }))
  })
  const folder = join(temporaryFolder(), 'allowed')
  mkdirSync(folder)
  const file = join(folder, 'all.jsonl')
  writeFileSync(file, '{"id":8}\n{"id":9}\n')
  const app = await startFlowApp({ settings: { file_folders: [folder] } })
  const wish = (value?: string) => (value === undefined ? {} : { when_in_doubt: value })
  const { flow } = await app.addFlow([
    {
      ref_id: 'list',
      type: 'rest',
      config: { url: `${api.url}/items`, pagination: MISSPELT, ...wish(doubt.list) },
    },
    {
      ref_id: 'sink',
      type: 'write_records',
      config: {
        records: '{{ list }}',
        target: 'jsonl',
        path: 'all.jsonl',
        mode: 'replace',
        ...wish(doubt.sink),
      },
    },
  ])
  await app.call('POST', `/v1/flows/${flow.id}/run?wait=true`)
  const run = app.runs().at(-1)
  const codes = run?.warnings.map(({ code, in_doubt }) => [code, in_doubt])
  return { file: readFileSync(file, 'utf8'), code: run?.error?.code, codes }
}

const KEPT = '{"id":8}\n{"id":9}\n'

test('a list in doubt replaces nothing, unless its step allows it', async () => {
  expect(await replacing({})).toMatchObject({
    file: KEPT,
    code: 'list_in_doubt',
    codes: expect.arrayContaining([['cursor_never_seen', true]]) as unknown,
  })
  expect(await replacing({ list: 'fail' })).toMatchObject({ file: KEPT, code: 'list_in_doubt' })
  expect(await replacing({ sink: 'warn' })).toMatchObject({ file: '{"id":1}\n', code: undefined })
})

/** An API whose list ends after the first record, because its cursor is misspelled. */
async function misspelt(): Promise<StepInput> {
  const api = await startThirdPartyApi((_, response) => {
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ d: [{ id: 1 }], paging: { next: { after: 'b' } } }))
  })
  return { ref_id: 'list', type: 'rest', config: { url: `${api.url}/items`, pagination: MISSPELT } }
}

const sinkOf = (records: string, more: object = {}): StepInput => ({
  ref_id: 'sink',
  type: 'write_records',
  config: { records, target: 'jsonl', path: 'all.jsonl', mode: 'replace', ...more },
})

async function appWithFolder() {
  const folder = join(temporaryFolder(), 'allowed')
  mkdirSync(folder)
  writeFileSync(join(folder, 'all.jsonl'), KEPT)
  const app = await startFlowApp({ settings: { file_folders: [folder] } })
  const run = async (id: string) => {
    await app.call('POST', `/v1/flows/${id}/run?wait=true`)
    const found = app.runs().find(({ flow_id }) => flow_id === id)
    if (found === undefined) throw new Error('The flow was not run')
    return found
  }
  return { app, run, written: () => readFileSync(join(folder, 'all.jsonl'), 'utf8') }
}

test('the step that writes a list in doubt says so too', async () => {
  const { app, run, written } = await appWithFolder()
  const { flow } = await app.addFlow([await misspelt(), sinkOf('{{ list }}', { when_in_doubt: 'warn' })])
  const ended = await run(flow.id)
  const sink = app.stepsOf(ended).find(({ ref_id }) => ref_id === 'sink')
  expect({ status: ended.status, file: written(), warnings: sink?.warnings }).toMatchObject({
    status: 'success',
    file: '{"id":1}\n',
    warnings: [{ code: 'list_in_doubt', in_doubt: true }],
  })
})

test('a list that another flow returns is in doubt in the flow that waits for it', async () => {
  const { app, run, written } = await appWithFolder()
  const child = await app.addFlow([await misspelt()])
  const { flow } = await app.addFlow([
    { ref_id: 'sub', type: 'run_flow', config: { flow_id: child.flow.id } },
    sinkOf('{{ sub }}'),
  ])
  const ended = await run(flow.id)
  const [sub] = app.stepsOf(ended)
  expect({ file: written(), code: ended.error?.code, sub: sub?.warnings }).toMatchObject({
    file: KEPT,
    code: 'list_in_doubt',
    sub: [{ code: 'cursor_never_seen', in_doubt: true }],
  })
})

test('a result that a run takes over from an earlier one stays in doubt, unless it was edited', async () => {
  const { app, run, written } = await appWithFolder()
  const { flow } = await app.addFlow([await misspelt(), sinkOf('{{ list }}')])
  const first = await run(flow.id)
  const again = async (results: object) => {
    const { json } = await app.call('POST', `/v1/flow-runs/${first.id}/rerun`, { from: 'sink', results })
    const { flow_run_id: id } = json as { flow_run_id: string }
    const ended = await app.until((each) => each.id === id && each.finished_at !== null)
    return { status: ended.status, code: ended.error?.code, file: written() }
  }
  expect([await again({}), await again({ list: [{ id: 7 }] })]).toEqual([
    { status: 'error', code: 'list_in_doubt', file: KEPT },
    { status: 'success', code: undefined, file: '{"id":7}\n' },
  ])
})
