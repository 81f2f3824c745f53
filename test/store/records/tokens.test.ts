import { describe, expect, it } from 'vitest'
import { aToken } from '../../helpers/records.ts'
import { aStore } from '../../helpers/store.ts'

const AT = '2026-04-01T12:00:00.000Z'

describe('tokens', () => {
  it('are found only by the hash of their secret, and by their own user', async () => {
    const store = await aStore()
    const user_id = store.users.local().id
    const { hash, ...shown } = aToken({ user_id, hash: 'h1', expiration: '2027-01-01T00:00:00.000Z' })
    const { user_id: _owner, ...record } = shown
    await store.write(() => store.tokens.insert({ ...shown, hash }))
    expect(store.tokens.findByHash('h1')).toEqual({ ...record, user_id, last_used: null })
    expect(store.tokens.findByHash('h2')).toBe(null)
    expect(store.tokens.get(user_id, record.id)).toEqual({ ...record, last_used: null })
    expect(store.tokens.get('somebody else', record.id)).toBe(null)
    expect(store.tokens.list('somebody else').records).toEqual([])
    expect(await store.write(() => store.tokens.delete('somebody else', record.id, AT))).toEqual([])
  })

  it('lose their old secret and their last use when they are regenerated', async () => {
    const store = await aStore()
    const user_id = store.users.local().id
    const token = aToken({ user_id, hash: 'old' })
    await store.write(() => store.tokens.insert(token))
    await store.write(() => store.tokens.touch(token.id, '2026-03-01T13:00:00.000Z'))
    expect(store.tokens.findByHash('old')?.last_used).toBe('2026-03-01T13:00:00.000Z')
    const change = { hash: 'new', last_four: 'efgh', expiration: null, at: AT }
    const changed = await store.write(() => store.tokens.regenerate(user_id, token.id, change))
    expect(changed).toMatchObject({ id: token.id, note: token.note, last_four: 'efgh', last_used: null })
    expect({ old: store.tokens.findByHash('old'), current: store.tokens.findByHash('new')?.id }).toEqual({
      old: null,
      current: token.id,
    })
    expect(store.tokens.findFormer('old')).toMatchObject({
      id: token.id,
      last_used: '2026-03-01T13:00:00.000Z',
      ended_at: AT,
      ended_by: 'regenerated',
    })
    expect(
      await store.write(() => store.tokens.regenerate(user_id, 'unknown', { ...change, hash: 'x' })),
    ).toBe(null)
  })

  it('are listed newest first and deleted', async () => {
    const store = await aStore()
    const user_id = store.users.local().id
    const notes = ['a', 'b', 'c']
    await store.write(() => notes.map((note) => store.tokens.insert(aToken({ user_id, note }))))
    const [newest] = store.tokens.list(user_id).records
    expect(store.tokens.list(user_id).records.map((token) => token.note)).toEqual(['c', 'b', 'a'])
    const ended = await store.write(() => store.tokens.delete(user_id, newest?.id ?? '', AT))
    expect(ended.map(({ id }) => id)).toEqual([newest?.id])
    expect(store.tokens.list(user_id).total).toBe(2)
  })

  it('are deleted a year after they end', async () => {
    const store = await aStore()
    const user_id = store.users.local().id
    const end = async (hash: string, at: string) => {
      const token = aToken({ user_id, hash })
      await store.write(() => {
        store.tokens.insert(token)
        store.tokens.delete(user_id, token.id, at)
      })
    }
    await end('first', '2026-01-01T00:00:00.000Z')
    await end('second', '2026-12-31T00:00:00.000Z')
    expect(store.tokens.findFormer('first')?.ended_by).toBe('revoked')
    await end('third', '2027-02-01T00:00:00.000Z')
    expect(store.tokens.findFormer('first')).toBe(null)
    expect(store.tokens.findFormer('second')?.ended_at).toBe('2026-12-31T00:00:00.000Z')
  })
})

describe('the local user', () => {
  it('always exists and stays the same', async () => {
    const store = await aStore()
    const user = store.users.local()
    store.close()
    const again = await aStore({ dataDir: store.dataDir })
    expect(again.users.local()).toEqual(user)
    expect(again.users.list().records).toEqual([user])
    expect(again.users.get(user.id)).toEqual(user)
  })
})

describe('settings', () => {
  it('are the defaults with changes applied', async () => {
    const store = await aStore()
    const defaults = store.settings.get()
    const changed = await store.write(() =>
      store.settings.update({ theme: 'dark', webhook_rate_limit_requests: null }),
    )
    expect(changed).toEqual({ ...defaults, theme: 'dark', webhook_rate_limit_requests: null })
    store.close()
    expect((await aStore({ dataDir: store.dataDir })).settings.get()).toEqual(changed)
  })
})
