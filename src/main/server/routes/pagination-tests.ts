import {
  checkPaginationRoute,
  continuePaginationTestRoute,
  suggestPaginationRoute,
  testPaginationRoute,
} from '../../../shared/contract/pagination.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { mountStream } from '../mount/mount-stream.ts'

export function mountPaginationTests(app: App, { paginationTests }: Pick<Services, 'paginationTests'>): void {
  mountStream(app, testPaginationRoute, ({ caller, body, signal }) =>
    paginationTests.run(caller, body, signal),
  )
  mountRoute(app, continuePaginationTestRoute, ({ caller, params, body }) =>
    paginationTests.continue(caller, params.id, body.pages),
  )
  mountRoute(app, checkPaginationRoute, ({ body }) => paginationTests.check(body))
  mountRoute(app, suggestPaginationRoute, ({ caller, body }) => paginationTests.suggest(caller, body))
}
