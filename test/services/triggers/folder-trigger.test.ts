import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import type { Flow } from '../../../src/shared/contract/flows.ts'
import type { FlowTrigger } from '../../../src/shared/contract/reach/flow-trigger.ts'
import { type FlowApp, startFlowApp } from '../../helpers/flow-app.ts'
import { temporaryFolder } from '../../helpers/temporary-folder.ts'

/** The wall clock is ahead of the files' times by as much as the test says; waits are real. */
async function startIn(folder: string, dataDir = temporaryFolder()) {
  const clock = { aheadMs: 60_000, now: () => Date.now() + clock.aheadMs, monotonic: () => performance.now() }
  const app = await startFlowApp({ clock, dataDir, settings: { file_folders: [folder] } })
  return { app, clock, dataDir }
}

async function watch(app: FlowApp, config: object = {}): Promise<string> {
  const { json, status, text } = await app.call('POST', '/v1/flows', {
    name: 'Files',
    status: 'active',
    steps: [{ ref_id: 'file', type: 'folder_trigger', config: { path: 'inbox', ...config } }],
  })
  if (status !== 201) throw new Error(text)
  await app.services.triggers.look()
  return (json as Flow).id
}

const check = (app: FlowApp, id: string) => app.call('POST', `/v1/flows/${id}/trigger/check`)
const stateOf = async (app: FlowApp, id: string) =>
  (await app.call('GET', `/v1/flows/${id}/trigger`)).json as FlowTrigger

/**
 * The event and name of each run, oldest first. If several flows watch, name one, since each of them looks for itself.
 */
async function ran(app: FlowApp, flowId?: string): Promise<string[]> {
  const runs = () => app.runs().filter((run) => flowId === undefined || run.flow_id === flowId)
  for (const { id } of runs()) await app.until((run) => run.id === id && run.finished_at !== null)
  return runs()
    .toReversed()
    .map((run) => app.stepsOf(run)[0]?.output as { event: string; name: string })
    .map(({ event, name }) => `${event} ${name}`)
}

function anInbox() {
  const folder = temporaryFolder()
  const inbox = join(folder, 'inbox')
  mkdirSync(inbox)
  return { folder, inbox, put: (name: string, text = 'x') => writeFileSync(join(inbox, name), text) }
}

async function stop(app: FlowApp): Promise<void> {
  app.services.runtime.beginStop()
  await app.services.runtime.stop({ graceMs: 1_000 })
  app.store.close()
}

describe('files of a folder', () => {
  it('start a run when they are new, changed or deleted, and none while nothing happens', async () => {
    const { folder, inbox, put } = anInbox()
    put('old.csv')
    const { app } = await startIn(folder)
    const id = await watch(app, { events: ['new', 'changed', 'gone'] })
    put('a.csv')
    await check(app, id)
    appendFileSync(join(inbox, 'old.csv'), 'more')
    await check(app, id)
    rmSync(join(inbox, 'a.csv'))
    await check(app, id)
    await check(app, id)
    put('a.csv')
    await check(app, id)
    expect(await ran(app)).toEqual(['new a.csv', 'changed old.csv', 'gone a.csv', 'new a.csv'])
    const [first] = app.runs().toReversed()
    expect(first).toMatchObject({ trigger: 'folder', flow_id: id })
    expect(app.stepsOf(first!)[0]?.output).toMatchObject({ path: join(inbox, 'a.csv'), size: 1 })
  })

  it('that changed while the program was off are found at its start', async () => {
    const { folder, inbox, put } = anInbox()
    put('a.csv')
    put('b.csv')
    const before = await startIn(folder)
    await watch(before.app, { events: ['new', 'changed', 'gone'] })
    await stop(before.app)
    put('c.csv')
    put('b.csv', 'longer')
    rmSync(join(inbox, 'a.csv'))
    const { app } = await startIn(folder, before.dataDir)
    await app.services.triggers.look()
    expect((await ran(app)).toSorted()).toEqual(['changed b.csv', 'gone a.csv', 'new c.csv'])
  })

  it("start a run once they haven't changed for the configured time, even if they were moved into the folder", async () => {
    const { folder, inbox, put } = anInbox()
    const { app, clock } = await startIn(folder)
    clock.aheadMs = 0
    const id = await watch(app, { settle_seconds: 30 })
    put('slow.csv')
    put('slow2.csv.part')
    utimesSync(join(inbox, 'slow2.csv.part'), 1, 1)
    await check(app, id)
    clock.aheadMs = 20_000
    appendFileSync(join(inbox, 'slow.csv'), 'more')
    renameSync(join(inbox, 'slow2.csv.part'), join(inbox, 'slow2.csv'))
    await check(app, id)
    expect(await ran(app)).toEqual([])
    expect(Date.parse((await stateOf(app, id)).next_check_at ?? '')).toBeLessThanOrEqual(clock.now() + 30_000)
    clock.aheadMs = 60_000
    await check(app, id)
    expect((await ran(app)).toSorted()).toEqual(['new slow.csv', 'new slow2.csv'])
  })

  it('match the pattern: no links, no hidden files, subfolders only if configured', async () => {
    const { folder, inbox, put } = anInbox()
    const { app } = await startIn(folder)
    const flat = await watch(app, { pattern: '*.csv' })
    const deep = await watch(app, { pattern: '*.csv', subfolders: true })
    mkdirSync(join(inbox, 'sub'))
    for (const name of ['a.csv', 'a.txt', '.b.csv', '~$c.csv', 'd.csv.crdownload', 'sub/e.csv']) put(name)
    symlinkSync(join(inbox, 'a.txt'), join(inbox, 'link.csv'))
    await check(app, flat)
    expect(await ran(app, flat)).toEqual(['new a.csv'])
    await check(app, deep)
    expect((await ran(app, deep)).toSorted()).toEqual(['new a.csv', 'new sub/e.csv'])
  })

  it('that exist already start runs if configured; a manual run gets the newest', async () => {
    const { folder, inbox, put } = anInbox()
    put('b.csv')
    put('a.csv')
    utimesSync(join(inbox, 'a.csv'), 1_000, 1_000)
    const { app } = await startIn(folder)
    const id = await watch(app, { first: 'all' })
    expect(await ran(app)).toEqual(['new a.csv', 'new b.csv'])
    await app.call('POST', `/v1/flows/${id}/run?wait=true`)
    expect((await ran(app)).at(-1)).toBe('new b.csv')
  })

  it('are noticed at once', async () => {
    const { folder, put } = anInbox()
    const { app } = await startIn(folder)
    await watch(app, { settle_seconds: 0 })
    // The system starts reporting a moment after it is asked to.
    let count = 0
    const again = setInterval(() => put(`${count++}.csv`), 100)
    await app.until((run) => run.trigger === 'folder')
    clearInterval(again)
    expect((await ran(app))[0]).toMatch(/^new \d+\.csv$/)
  })
})

describe('a folder', () => {
  it.each([
    ['/etc', 'is outside of the folders that flows can use'],
    ['../inbox', 'is outside of the folders that flows can use'],
    ['nowhere', 'There is no folder "nowhere"'],
    ['file', 'There is no folder "file"'],
    ['link', 'There is no folder "link"'],
  ])('named %s is rejected with a sentence, and loses no file', async (path, message) => {
    const { folder, inbox } = anInbox()
    writeFileSync(join(folder, 'file'), '')
    symlinkSync(inbox, join(folder, 'link'))
    const { app } = await startIn(folder)
    const id = await watch(app, { path })
    expect((await stateOf(app, id)).error?.message).toContain(message)
  })

  it('that is unavailable for a while loses no files', async () => {
    const { folder, inbox, put } = anInbox()
    put('a.csv')
    const { app } = await startIn(folder)
    const id = await watch(app, { events: ['new', 'gone'] })
    renameSync(inbox, `${inbox}-away`)
    await check(app, id)
    expect(await stateOf(app, id)).toMatchObject({ failures: 1 })
    renameSync(`${inbox}-away`, inbox)
    await check(app, id)
    expect([await ran(app), (await stateOf(app, id)).error]).toEqual([[], null])
  })
})

test.each([
  [{}, 'path'],
  [{ path: 'x', events: [] }, 'events'],
  [{ path: 'x', events: ['moved'] }, 'events[0]'],
  [{ path: 'x', settle_seconds: -1 }, 'settle_seconds'],
  [{ path: 'x', every_minutes: 0 }, 'every_minutes'],
])('%j is rejected on saving', async (config, field) => {
  const app = await startFlowApp()
  const steps = [{ ref_id: 'a', type: 'folder_trigger', config }]
  const { status, json } = await app.call('POST', '/v1/flows', { name: 'X', steps })
  expect([status, Object.keys((json as { data: object }).data)]).toEqual([400, [`steps[0].config.${field}`]])
})
