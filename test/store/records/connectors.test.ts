import { describe, expect, it } from 'vitest'
import { SecretUnreadableError } from '../../../src/main/store/secrets/secret-box.ts'
import { aConnector, aConnectorAuth, anAction } from '../../helpers/records.ts'
import { aMasterKey, aStore } from '../../helpers/store.ts'
import { snapshot, temporaryFolder } from '../../helpers/temporary-folder.ts'

const LATER = '2026-03-02T12:00:00.000Z'

describe('connectors', () => {
  it('are read as they were stored, changed, found by name and deleted with their actions', async () => {
    const store = await aStore()
    const connector = aConnector({ name: 'SFTP Server', built_in: true, search_config: [{ type: 'list' }] })
    const action = anAction({ connector_id: connector.id, body: [1, { a: null }] })
    await store.write(() => {
      store.connectors.insert(connector)
      store.connectors.insert(aConnector({ name: 'Shop' }))
      store.actions.insert(action)
    })
    expect(store.connectors.get(connector.id)).toEqual(connector)
    const like = { field: 'name', operator: 'like', value: '%ft%' } as const
    expect(store.connectors.list({ filters: [like] }).records).toEqual([connector])
    const builtIn = { field: 'built_in', operator: 'eq', value: 'true' } as const
    expect(store.connectors.list({ filters: [builtIn] }).records).toEqual([connector])
    const changed = { ...connector, header: null, pagination_config: null, updated_at: LATER }
    expect(await store.write(() => store.connectors.update(changed))).toBe(true)
    expect(store.connectors.get(connector.id)).toEqual(changed)
    expect(await store.write(() => store.connectors.delete(connector.id))).toBe(true)
    expect({ connector: store.connectors.get(connector.id), action: store.actions.get(action.id) }).toEqual({
      connector: null,
      action: null,
    })
  })

  it('keep their secrets separate from the record', async () => {
    const store = await aStore()
    const connector = aConnector()
    await store.write(() => store.connectors.insert(connector, { client_secret: 's3cret' }))
    await store.write(() => store.connectors.update({ ...connector, name: 'Other' }))
    expect(store.connectors.secretsOf(connector.id)).toEqual({ client_secret: 's3cret' })
    await store.write(() => store.connectors.update(connector, {}))
    expect(store.connectors.secretsOf(connector.id)).toEqual({})
  })
})

describe('actions', () => {
  it('have unique names within a connector, and are found by them', async () => {
    const store = await aStore()
    const [one, two] = [aConnector(), aConnector()]
    const action = anAction({ connector_id: one.id })
    await store.write(() => {
      store.connectors.insert(one)
      store.connectors.insert(two)
      store.actions.insert(action)
      store.actions.insert(anAction({ connector_id: two.id }))
    })
    await expect(
      store.write(() => store.actions.insert(anAction({ connector_id: one.id }))),
    ).rejects.toMatchObject({
      code: 'SQLITE_CONSTRAINT_UNIQUE',
    })
    expect(store.actions.find(one.id, 'list_orders')).toEqual(action)
    expect(store.actions.find(one.id, 'other')).toBe(null)
    expect(store.actions.ofConnector(one.id)).toEqual([action])
    const ofTwo = { field: 'connector_id', operator: 'eq', value: two.id } as const
    expect(store.actions.list({ filters: [ofTwo] }).total).toBe(1)
    const changed = { ...action, title: 'Changed', supports_automatic_pagination: false }
    await store.write(() => store.actions.update(changed))
    expect(store.actions.get(action.id)).toEqual(changed)
    expect(await store.write(() => store.actions.delete(action.id))).toBe(true)
  })
})

describe('connector auths', () => {
  it('show which secrets are set and never their values', async () => {
    const { store, connector, ownerId } = await aStoreWithConnector()
    const auth = aConnectorAuth({
      connector_id: connector.id,
      api_endpoint: 'sftp://ann:***@host/',
      tags: ['t'],
    })
    const secrets = { auth_token: 'tok', 'user_input.client_secret': 'cs' }
    await store.write(() => store.connectorAuths.insert(auth, { ownerId, secrets }))
    const shown = { ...auth, secrets: { auth_token: true, 'user_input.client_secret': true } }
    expect(store.connectorAuths.get(auth.id)).toEqual(shown)
    expect(store.connectorAuths.secretsOf(auth.id)).toEqual(secrets)

    await store.write(() => store.connectorAuths.update({ ...auth, name: 'Changed' }))
    expect(store.connectorAuths.get(auth.id)).toEqual({ ...shown, name: 'Changed' })
    await store.write(() => store.connectorAuths.update(auth, { password: 'p' }))
    expect(store.connectorAuths.get(auth.id)?.secrets).toEqual({ password: true })
    expect(store.connectorAuths.countOfConnector(connector.id)).toBe(1)
    await expect(store.write(() => store.connectors.delete(connector.id))).rejects.toMatchObject({
      code: 'SQLITE_CONSTRAINT_FOREIGNKEY',
    })
    expect(await store.write(() => store.connectorAuths.delete(auth.id))).toBe(true)
  })

  it('are visible to the users in their access list', async () => {
    const { store, connector, ownerId } = await aStoreWithConnector()
    const access = (visibility: 'account' | 'selected' | 'private', ...user_ids: string[]) => ({
      visibility,
      user_ids,
    })
    const auths = [access('account'), access('selected', 'bob'), access('private')].map((given, index) =>
      aConnectorAuth({ connector_id: connector.id, name: `${index}`, access: given }),
    )
    await store.write(() =>
      auths.forEach((auth) => store.connectorAuths.insert(auth, { ownerId, secrets: {} })),
    )
    const seenBy = (user: string) => {
      const listed = store.connectorAuths.list({}, user).records.map((auth) => auth.name)
      const read = auths
        .filter((auth) => store.connectorAuths.get(auth.id, user) !== null)
        .map((auth) => auth.name)
      expect(listed.toSorted()).toEqual(read)
      return read
    }
    expect({ owner: seenBy(ownerId), bob: seenBy('bob'), eve: seenBy('eve') }).toEqual({
      owner: ['0', '1', '2'],
      bob: ['0', '1'],
      eve: ['0'],
    })
  })

  it("read as needs_reentry, each separately, if their secrets can't be decrypted", async () => {
    const dataDir = temporaryFolder()
    const { store, connector, ownerId } = await aStoreWithConnector(dataDir)
    const [sealed, open] = [
      aConnectorAuth({ connector_id: connector.id }),
      aConnectorAuth({ connector_id: connector.id }),
    ]
    await store.write(() => {
      store.connectorAuths.insert(sealed, { ownerId, secrets: { auth_token: 'tok' } })
      store.connectorAuths.insert(open, { ownerId, secrets: {} })
    })
    store.close()
    const elsewhere = await aStore({ dataDir, masterKey: aMasterKey(2) })
    const stateOf = (id: string) => elsewhere.connectorAuths.get(id)?.state
    expect({ sealed: stateOf(sealed.id), open: stateOf(open.id) }).toEqual({
      sealed: 'needs_reentry',
      open: 'ok',
    })
    expect(() => elsewhere.connectorAuths.secretsOf(sealed.id)).toThrow(SecretUnreadableError)
    const needing = { field: 'state', operator: 'eq', value: 'needs_reentry' } as const
    expect(elsewhere.connectorAuths.list({ filters: [needing] }).records.map((auth) => auth.id)).toEqual([
      sealed.id,
    ])
    await elsewhere.write(() => elsewhere.connectorAuths.update(sealed, { auth_token: 'again' }))
    expect({ state: stateOf(sealed.id), secrets: elsewhere.connectorAuths.secretsOf(sealed.id) }).toEqual({
      state: 'ok',
      secrets: { auth_token: 'again' },
    })
  })
})

describe('env variables', () => {
  it('show their value unless they are secret, and always give it to runs', async () => {
    const store = await aStore()
    const stamps = { created_at: LATER, updated_at: LATER }
    const plain = {
      id: 'a',
      name: 'shop',
      type: 'object',
      value: { url: 'x', n: 1 },
      secret: false,
      ...stamps,
    } as const
    const secret = { id: 'b', name: 'key', type: 'text', value: 's3cret', secret: true, ...stamps } as const
    await store.write(() => {
      store.envVariables.insert(plain)
      store.envVariables.insert(secret)
    })
    expect(store.envVariables.get('a')).toEqual({ ...plain, state: 'ok' })
    expect(store.envVariables.get('b')).toEqual({ ...secret, value: null, state: 'ok' })
    expect(store.envVariables.values()).toEqual([
      { name: 'shop', value: { url: 'x', n: 1 }, secret: false },
      { name: 'key', value: 's3cret', secret: true },
    ])
    await store.write(() => store.envVariables.update({ ...secret, value: 'changed', secret: false }))
    expect(store.envVariables.get('b')?.value).toBe('changed')
    const named = { field: 'name', operator: 'eq', value: 'shop' } as const
    expect(store.envVariables.list({ filters: [named] }).total).toBe(1)
    expect(await store.write(() => store.envVariables.delete('a'))).toBe(true)
  })
})

describe('secrets', () => {
  it('are nowhere in the files of the data folder, backups included', async () => {
    const { store, connector, ownerId } = await aStoreWithConnector()
    const secret = 'correct-horse-battery-staple'
    const at = { created_at: LATER, updated_at: LATER }
    await store.write(() => {
      store.connectorAuths.insert(aConnectorAuth({ connector_id: connector.id }), {
        ownerId,
        secrets: { auth_token: secret },
      })
      store.connectors.update(connector, { client_secret: secret })
      store.envVariables.insert({ id: 'a', name: 'n', type: 'text', value: secret, secret: true, ...at })
    })
    const files = () => Object.entries(snapshot(store.dataDir))
    const holding = () =>
      files()
        .filter(([, file]) => Buffer.from(file.bytes, 'base64').includes(secret))
        .map(([name]) => name)
    expect(holding()).toEqual([])
    await store.backups.takeIfDue()
    store.close()
    expect(files().length).toBeGreaterThan(1)
    expect(holding()).toEqual([])
  })
})

async function aStoreWithConnector(dataDir = temporaryFolder()) {
  const store = await aStore({ dataDir })
  const connector = aConnector()
  await store.write(() => store.connectors.insert(connector))
  return { store, connector, ownerId: store.users.local().id }
}
