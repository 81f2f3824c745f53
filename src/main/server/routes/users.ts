import {
  createUserRoute,
  deleteUserRoute,
  listUsersRoute,
  readOwnUserRoute,
  readUserRoute,
  updateUserRoute,
} from '../../../shared/contract/users.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountUsers(app: App, { users }: Pick<Services, 'users'>): void {
  mountRoute(app, createUserRoute, ({ body }) => users.create(body))
  mountRoute(app, listUsersRoute, ({ query, request }) => replyPage(request, users.list(query)))
  mountRoute(app, readOwnUserRoute, ({ caller }) => users.read(caller.userId))
  mountRoute(app, readUserRoute, ({ params }) => users.read(params.id))
  mountRoute(app, updateUserRoute, ({ params, body }) => users.update(params.id, body))
  mountRoute(app, deleteUserRoute, ({ params, query }) =>
    users.remove(params.id, { force: query.force === 'true' }),
  )
}
