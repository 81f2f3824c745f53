import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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
