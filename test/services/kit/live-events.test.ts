import { expect, test } from 'vitest'
import type { LiveEvent, Noun } from '../../../src/shared/contract/host.ts'
import type { Caller } from '../../../src/main/services/kit/caller.ts'
import { createEventsService, type EventsService } from '../../../src/main/services/kit/live-events.ts'

const session: Caller = { kind: 'session', userId: 'ann', scopes: [], tokenId: null }
const token = (...scopes: string[]): Caller => ({
  kind: 'token',
  userId: 'ann',
  scopes,
  tokenId: 'the-token',
})
const change = (noun: Noun, id: string, type: LiveEvent['type'] = 'created'): LiveEvent => ({
  type,
  noun,
  id,
})

/** A stream whose `ready` has already been read. */
async function listen(events: EventsService, caller: Caller) {
  const leaving = new AbortController()
  const stream = events.subscribe(caller, leaving.signal)
  const first = await stream.next()
  return {
    first: first.value,
    leave: () => leaving.abort(),
    async next(count: number) {
      const seen: unknown[] = []
      for (let index = 0; index < count; index++) seen.push((await stream.next()).value)
      return seen
    },
  }
}

test('a stream starts with ready and continues with later changes, in order', async () => {
  const events = createEventsService()
  events.emit(change('flow', 'before'))
  const stream = await listen(events, session)
  events.emit(change('flow', 'a'))
  events.emit(change('flow', 'a', 'updated'))
  const next = stream.next(3)
  events.emit(change('settings', 'b'))
  expect([stream.first, ...(await next)]).toEqual([
    { type: 'ready', noun: null, id: null },
    change('flow', 'a'),
    change('flow', 'a', 'updated'),
    change('settings', 'b'),
  ])
})

test('a stream waits idly and ends when its reader leaves', async () => {
  const events = createEventsService()
  const stream = await listen(events, session)
  const next = stream.next(1)
  stream.leave()
  expect(await next).toEqual([undefined])
})

test('a token receives events of the records that it can read, a session of all', async () => {
  const events = createEventsService()
  const nouns: Noun[] = [
    'flow',
    'flow_run',
    'webhook_request',
    'connector',
    'connector_auth',
    'settings',
    'token',
  ]
  const heardBy = async (caller: Caller) => {
    const stream = await listen(events, caller)
    for (const noun of nouns) events.emit(change(noun, noun))
    events.emit({ type: 'updated', noun: null, id: 'end' })
    const heard: unknown[] = []
    for (let id: unknown = null; id !== 'end'; heard.push(id))
      id = ((await stream.next(1))[0] as LiveEvent).id
    return heard.slice(0, -1)
  }
  expect([
    await heardBy(session),
    await heardBy(token('automation:view')),
    await heardBy(token('automation', 'connectors:view')),
    await heardBy(token('company')),
  ]).toEqual([
    nouns,
    ['flow', 'flow_run', 'webhook_request', 'connector_auth', 'token'],
    ['flow', 'flow_run', 'webhook_request', 'connector', 'connector_auth', 'token'],
    ['settings', 'token'],
  ])
})

test('events that only some users can see reach no others', async () => {
  const events = createEventsService()
  const stream = await listen(events, session)
  events.emit(change('connector_auth', "bob's"), ['bob'])
  events.emit(change('connector_auth', "ann's"), ['bob', 'ann'])
  expect(await stream.next(1)).toEqual([change('connector_auth', "ann's")])
})

test('a token that is revoked or given a new value ends the streams opened with it at once', async () => {
  const events = createEventsService()
  const [own, other] = [await listen(events, token('automation')), await listen(events, session)]
  events.emit(change('token', 'another-token', 'deleted'))
  events.emit(change('token', 'the-token', 'updated'))
  events.emit(change('flow', 'later'))
  expect(await own.next(1)).toEqual([undefined])
  expect(await other.next(1)).toEqual([change('token', 'another-token', 'deleted')])
})

test('a reader that falls too far behind is told to reload its lists instead', async () => {
  const events = createEventsService()
  const stream = await listen(events, session)
  for (let count = 0; count < 1_500; count++) events.emit(change('flow', String(count)))
  const seen = (await stream.next(500)) as LiveEvent[]
  expect({ first: seen[0], second: seen[1], last: seen.at(-1) }).toEqual({
    first: { type: 'ready', noun: null, id: null },
    second: change('flow', '1001'),
    last: change('flow', '1499'),
  })
})

test('a stream ends with the first change after the rights of its caller have ended', async () => {
  let time = 0
  const events = createEventsService(() => time)
  const stream = await listen(events, { ...token('automation'), endsAt: 1_000 })
  events.emit(change('flow', 'before'))
  const before = await stream.next(1)
  time = 1_000
  events.emit(change('flow', 'after'))
  expect([before, await stream.next(1)]).toEqual([[change('flow', 'before')], [undefined]])
})
