import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import type { Settings } from '../../src/shared/contract/settings.ts'
import { IMAP_CONNECTOR_ID } from '../../src/shared/contract/connectors.ts'
import { aMail, startImapServer } from '../helpers/imap-server.ts'
import { createHome } from '../helpers/program.ts'
import { callOrThrow, callServed, kill, readFolder, stop } from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(50, 2)
/** More items than one commit can hold. */
const A_ROUND = 130

it('entries, files, rows and emails start one run each, even if the program is killed while it finds them', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  const inbox = join(home.dataDir, '..', 'inbox')
  const tables = join(home.dataDir, '..', 'tables')
  mkdirSync(inbox, { recursive: true })
  mkdirSync(tables, { recursive: true })
  const shop = new Database(join(tables, 'shop.db'))
  onTestFinished(() => void shop.close())
  shop.exec('PRAGMA journal_mode = WAL')
  shop.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, changed INTEGER NOT NULL)')
  const addItem = shop.prepare('INSERT INTO items (changed) VALUES (?)')
  const orders: { id: number }[] = []
  const api = await startThirdPartyApi((_request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify(orders.toReversed()))
  })
  const mailServer = await startImapServer()
  onTestFinished(() => mailServer.close())
  let served = await home.serve()
  await callOrThrow<Settings>(served, 'PUT', '/v1/settings', { file_folders: [inbox, tables] })
  const { id: connector } = await callOrThrow<{ id: string }>(served, 'POST', '/v1/connectors', {
    name: 'Shop',
    base_domain: api.url,
  })
  await callOrThrow(served, 'POST', '/v1/connector-actions', {
    connector_id: connector,
    name: 'list_orders',
    method: 'GET',
    endpoint: '/orders',
  })
  const create = (type: string, title: string, config: object) =>
    callOrThrow<Flow>(served, 'POST', '/v1/flows', {
      name: type,
      status: 'active',
      settings: { dynamic_title: title },
      steps: [{ ref_id: 'found', type, config }],
    })
  const { id: mailAuth } = await callOrThrow<{ id: string }>(served, 'POST', '/v1/connector-auths', {
    connector_id: IMAP_CONNECTOR_ID,
    name: 'Mail',
    auth_type: 'username_password',
    username: 'me',
    password: 'right',
    api_endpoint: mailServer.url,
  })
  const flows = [
    await create('list_trigger', 'order {{ found.id }}', {
      connector_id: connector,
      action: 'list_orders',
      key: 'id',
      cursor_field: 'id',
      first: 'all',
    }),
    await create('folder_trigger', 'file {{ found.name }}', { path: inbox, first: 'all', settle_seconds: 0 }),
    // All rows of a round have the same cursor.
    await create('sql_trigger', 'item {{ found.id }}', {
      file: join(tables, 'shop.db'),
      table: 'items',
      key: ['id'],
      cursor_field: 'changed',
      first: 'all',
    }),
    await create('imap_trigger', 'mail {{ found.subject }}', { auth_id: mailAuth, first: 'all' }),
  ]
  const check = (flow: Flow) => callServed(served, 'POST', `/v1/flows/${flow.id}/trigger/check`)

  for (let round = 0; round < KILLS; round++) {
    for (let count = 0; count < A_ROUND; count++) orders.push({ id: orders.length })
    for (let count = 0; count < 5; count++) writeFileSync(join(inbox, `${round}-${count}`), '')
    for (let count = 0; count < 5; count++) mailServer.deliver(aMail({ subject: `${round}-${count}` }))
    for (let count = 0; count < A_ROUND; count++) addItem.run(round)
    const checks = flows.map((flow) => check(flow).catch(() => undefined))
    await randomPause(0, 150)
    await kill(served)
    await Promise.all(checks)
    served = await home.serve()
  }
  for (const flow of flows) await check(flow)
  await untilIdle(served)
  const end = await stop(served)

  const { runs, isSound, queued } = readFolder(home)
  const expected = [
    ...orders.map(({ id }) => `order ${id}`),
    ...orders.map(({ id }) => `item ${id + 1}`),
    ...Array.from({ length: KILLS * 5 }, (_, index) => `${Math.floor(index / 5)}-${index % 5}`).flatMap(
      (name) => [`file ${name}`, `mail ${name}`],
    ),
  ]
  const titles = runs.map(({ title }) => title)
  const failed = runs.filter(({ status }) => status !== 'success')
  report('kill -9 while triggers look', { kills: KILLS, runs: runs.length, expected: expected.length })
  expect({ end, isSound, queued, failed, doubled: titles.length - new Set(titles).size }).toEqual({
    end: 0,
    isSound: true,
    queued: 0,
    failed: [],
    doubled: 0,
  })
  expect(titles.toSorted()).toEqual(expected.toSorted())
})
