import { expect, it, onTestFinished } from 'vitest'
import type { Flow } from '../../src/shared/contract/flows.ts'
import { createHome } from '../helpers/program.ts'
import { callOrThrow, kill, readFolder, stop } from '../helpers/served-api.ts'
import { untilIdle } from '../helpers/served-runs.ts'
import { randomPause, report, scale } from './scale.ts'

const KILLS = scale(30, 2)
const A_ROUND = 20

it('a form that was confirmed to its sender runs exactly once despite kill -9', async () => {
  const home = createHome()
  onTestFinished(() => home.remove())
  let served = await home.serve()
  await callOrThrow(served, 'PUT', '/v1/settings', { webhook_rate_limit_requests: null })
  const { webhook } = await callOrThrow<Flow>(served, 'POST', '/v1/flows', {
    name: 'Form',
    // The form has a token, because open forms are limited per IP address.
    settings: { dynamic_title: '{{ form.name }}' },
    steps: [{ ref_id: 'form', type: 'form_trigger', config: { fields: [{ name: 'name', required: true }] } }],
  })
  const path = new URL(webhook!.url).pathname
  const headers = { authorization: `Bearer ${webhook!.token}` }
  const thanked: string[] = []
  /** Sends the same page again, as people do if nothing happens. */
  async function fillIn(name: string, sending: string): Promise<void> {
    const body = new URLSearchParams({ name, _sending: sending })
    const sent = await fetch(`${served.url}${path}`, { method: 'POST', headers, body })
    if (sent.status === 200) thanked.push(name)
  }
  const sendings = new Map<string, string>()

  for (let round = 0; round < KILLS; round++) {
    const names = Array.from({ length: A_ROUND }, (_, index) => `${round}-${index}`)
    for (const name of names) sendings.set(name, crypto.randomUUID())
    const sent = names.map((name) => fillIn(name, sendings.get(name) ?? '').catch(() => undefined))
    await randomPause(0, 60)
    await kill(served)
    await Promise.all(sent)
    served = await home.serve()
    await Promise.all(names.map((name) => fillIn(name, sendings.get(name) ?? '')))
  }
  await untilIdle(served)
  const end = await stop(served)

  const { runs, isSound, queued } = readFolder(home)
  const titles = runs.map(({ title }) => title)
  report('kill -9 while forms are sent', { kills: KILLS, runs: runs.length, sent: sendings.size })
  expect({ end, isSound, queued, failed: runs.filter(({ status }) => status !== 'success').length }).toEqual({
    end: 0,
    isSound: true,
    queued: 0,
    failed: 0,
  })
  expect(titles.toSorted()).toEqual([...sendings.keys()].toSorted())
  expect(thanked.length).toBeGreaterThanOrEqual(sendings.size)
})
