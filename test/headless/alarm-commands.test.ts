import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AlarmReceiver } from '../../src/shared/contract/alarms.ts'
import { createHome, type Home } from '../helpers/program.ts'
import { callOrThrow } from '../helpers/served-api.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

let home: Home
beforeEach(() => {
  home = createHome()
})
afterEach(() => home.remove())

const run = (...args: string[]) => home.run(args)

test('alarms are added, listed, tested and deleted', async () => {
  const api = await startThirdPartyApi((_request, response) => void response.writeHead(204).end())
  const served = await home.serve()
  const flow = await callOrThrow<{ id: string }>(served, 'POST', '/v1/flows', { name: 'Orders', steps: [] })
  const args = ['--url', api.url, '--on', 'failed,silent', '--flow', 'Orders']
  const created = await run('alarm', 'create', ...args, '--json')
  const alarm = JSON.parse(created.stdout) as AlarmReceiver
  const listed = await run('alarm', 'list')
  const tested = await run('alarm', 'test', alarm.id)
  const deleted = await run('alarm', 'delete', alarm.id)
  const left = JSON.parse((await run('alarm', 'list', '--json')).stdout) as AlarmReceiver[]
  expect({
    created: [alarm.kind, alarm.events, alarm.flows, alarm.flow_ids],
    listed: listed.stdout.includes(api.url),
    tested: [tested.code, api.received.length],
    deleted: deleted.code,
    left: left.map(({ kind }) => kind),
    both: await run('alarm', 'create', '--url', api.url, '--notification'),
    unknown: await run('alarm', 'create', '--notification', '--on', 'failed,late'),
  }).toMatchObject({
    created: ['url', ['failed', 'silent'], 'chosen', [flow.id]],
    listed: true,
    tested: [0, 1],
    deleted: 0,
    left: ['notification'],
    both: { code: 2, stderr: expect.stringContaining('exactly one of') },
    unknown: { code: 2, stderr: expect.stringContaining('--on has "late"') },
  })
})
