import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams, listQuery, nonEmptyText, text, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

export const team = z.object({
  id: z.string().describe('ID of the team.'),
  name: nonEmptyText(200).meta(doc('Name shown in lists.', 'Sales')),
  user_ids: z
    .array(text(200))
    .max(1_000)
    .refine((ids) => new Set(ids).size === ids.length, 'contains the same user twice')
    .meta(doc("IDs of the team's members, each once.", ['7c9e6679-7425-40de-944b-e07fc1f90ae7'])),
  created_at: timestamp.describe('When the team was created, in UTC.'),
  updated_at: timestamp.describe('When the team was last changed, in UTC.'),
})
export type Team = z.output<typeof team>

const READ_ONLY = ['id', 'created_at', 'updated_at'] as const
const teamPatch = z.strictObject(team.omit({ id: true, created_at: true, updated_at: true }).partial().shape)
export type TeamPatch = z.output<typeof teamPatch>

export const createTeamRoute = defineRoute({
  method: 'POST',
  path: '/v1/teams',
  summary: 'Create a team of users',
  access: can('teams', 'create'),
  status: 201,
  body: teamPatch.required({ name: true }),
  readOnly: READ_ONLY,
  result: team,
})

export const listTeamsRoute = defineRoute({
  method: 'GET',
  path: '/v1/teams',
  summary: 'List teams',
  access: can('teams', 'read'),
  status: 200,
  query: listQuery,
  result: z.array(team),
})

export const readTeamRoute = defineRoute({
  method: 'GET',
  path: '/v1/teams/:id',
  summary: 'Read a team',
  access: can('teams', 'read'),
  status: 200,
  params: idParams,
  result: team,
})

export const updateTeamRoute = defineRoute({
  method: 'PUT',
  path: '/v1/teams/:id',
  summary: 'Change a team; absent keys keep their value',
  access: can('teams', 'update'),
  status: 200,
  params: idParams,
  body: teamPatch,
  readOnly: READ_ONLY,
  result: team,
})

export const deleteTeamRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/teams/:id',
  summary: 'Delete a team, but not its users',
  access: can('teams', 'delete'),
  status: 204,
  params: idParams,
})

export const teamRoutes = {
  createTeamRoute,
  listTeamsRoute,
  readTeamRoute,
  updateTeamRoute,
  deleteTeamRoute,
}
