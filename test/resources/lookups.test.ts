import { expect, test } from 'vitest'
import { countBundled } from '../../scripts/lib/count-lookups.ts'
import type { Connector } from '../../src/shared/contract/connectors.ts'
import { catalogueFiles } from '../helpers/store.ts'
import { startTestApp } from '../helpers/test-app.ts'
import { startThirdPartyApi } from '../helpers/third-party-api.ts'

interface CatalogueFile {
  readonly connector: Connector
  readonly actions: readonly {
    readonly name: string
    readonly ui_form_schema: readonly { readonly name: string; readonly lookup?: Lookup }[]
  }[]
}

interface Lookup {
  readonly endpoint?: string
  readonly read?: string
}

test('nearly all fields of the bundled connectors that hold an ID are look-ups', () => {
  const counts = countBundled()
  const ids = counts.reduce((sum, one) => sum + one.ids, 0)
  const typed = counts.flatMap((one) => one.typed)
  expect(ids).toBeGreaterThan(300)
  expect(typed.length / ids).toBeLessThan(0.05)
})

test('each look-up of the bundled connectors can be called', async () => {
  const app = await startTestApp()
  const api = await startThirdPartyApi((_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end('{"isLast": true, "startAt": 0, "maxResults": 50}'),
  )
  const failed: unknown[] = []
  for (const { connector, actions } of catalogueFiles() as readonly CatalogueFile[]) {
    if (connector.base_domain.startsWith('sftp')) continue
    const { id } = (await app.call('POST', `/v1/connectors/${connector.id}/copy`)).json as { id: string }
    await app.call('PUT', `/v1/connectors/${id}`, { base_domain: api.url })
    for (const { name: action, ui_form_schema: fields } of actions) {
      const input = Object.fromEntries(fields.map(({ name }) => [name, '1']))
      const names = new Set(actions.map(({ name }) => name))
      for (const { name: field, lookup } of fields) {
        if (lookup === undefined) continue
        if (lookup.read !== undefined && !names.has(lookup.read)) failed.push([action, field, lookup.read])
        if (lookup.endpoint?.startsWith('https://') === true) continue
        const body = { q: "it's", action, field, input, limit: 1 }
        const { status, json } = await app.call('POST', `/v1/connectors/${id}/search`, body)
        if (status !== 200) failed.push([connector.name, action, field, json])
      }
    }
  }
  expect(failed).toEqual([])
})
