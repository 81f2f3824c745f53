import { testPaginationRoute, paginationRoutes } from '../../../shared/contract/pagination.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { mountStream } from '../mount/mount-stream.ts'

export function mountPaginationTests(app: App, { paginationTests }: Pick<Services, 'paginationTests'>): void {
  mountStream(app, testPaginationRoute, ({ caller, body, signal }) =>
    paginationTests.run(caller, body, signal),
  )
  mount(app, paginationRoutes, {
    continuePaginationTestRoute: ({ caller, params, body }) =>
      paginationTests.continue(caller, params.id, body.pages),
    checkPaginationRoute: ({ body }) => paginationTests.check(body),
    suggestPaginationRoute: ({ caller, body }) => paginationTests.suggest(caller, body),
  })
}
