/** The page's own client, calling a test app over real HTTP. */
import { type Api, createApi } from '../../src/renderer/api/create-api.ts'
import type { TestApp } from './test-app.ts'
import { SESSION_BEARER } from './test-server.ts'

export function pageApiOf({ port }: Pick<TestApp, 'port'>): Api {
  const bearer = () => Promise.resolve(SESSION_BEARER)
  return createApi({
    baseUrl: `http://127.0.0.1:${port}`,
    session: {
      bearer,
      renew: () => Promise.resolve(null),
      actingAs: () => null,
      actAs: () => undefined,
      moveTo: () => undefined,
    },
  })
}
