import { teamRoutes } from '../../../shared/contract/teams.ts'
import { userRoutes } from '../../../shared/contract/users.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mount } from '../mount/mount-route.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountUsers(app: App, { users, teams }: Pick<Services, 'users' | 'teams'>): void {
  mount(app, userRoutes, {
    createUserRoute: ({ body }) => users.create(body),
    listUsersRoute: ({ query, request }) => replyPage(request, users.list(query)),
    readOwnUserRoute: ({ caller }) => users.read(caller.userId),
    readUserRoute: ({ params }) => users.read(params.id),
    updateUserRoute: ({ params, body }) => users.update(params.id, body),
    deleteUserRoute: ({ params, query }) => users.remove(params.id, { force: query.force === 'true' }),
  })
  mount(app, teamRoutes, {
    createTeamRoute: ({ body }) => teams.create(body),
    listTeamsRoute: ({ query, request }) => replyPage(request, teams.list(query)),
    readTeamRoute: ({ params }) => teams.read(params.id),
    updateTeamRoute: ({ params, body }) => teams.update(params.id, body),
    deleteTeamRoute: ({ params }) => teams.remove(params.id),
  })
}
