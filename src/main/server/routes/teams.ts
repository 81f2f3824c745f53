import {
  createTeamRoute,
  deleteTeamRoute,
  listTeamsRoute,
  readTeamRoute,
  updateTeamRoute,
} from '../../../shared/contract/teams.ts'
import type { Services } from '../../services/index.ts'
import type { App } from '../mount/app.ts'
import { mountRoute } from '../mount/mount-route.ts'
import { replyPage } from '../answer/reply-list.ts'

export function mountTeams(app: App, { teams }: Pick<Services, 'teams'>): void {
  mountRoute(app, createTeamRoute, ({ body }) => teams.create(body))
  mountRoute(app, listTeamsRoute, ({ query, request }) => replyPage(request, teams.list(query)))
  mountRoute(app, readTeamRoute, ({ params }) => teams.read(params.id))
  mountRoute(app, updateTeamRoute, ({ params, body }) => teams.update(params.id, body))
  mountRoute(app, deleteTeamRoute, ({ params }) => teams.remove(params.id))
}
