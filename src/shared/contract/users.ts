import { withValue } from './base/message.ts'
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams, listQuery, nonEmptyText, text, timestamp } from './base/common.ts'
import { can, defineRoute } from './base/route.ts'

/** The name until the user chooses one. */
export const LOCAL_USER_NAME = 'Local user'

export const USER_ROLES = ['owner', 'member'] as const

export const user = z.object({
  id: z.string().describe('ID of the user.'),
  name: nonEmptyText(200).meta(doc('Name shown in lists.', 'Ann Example')),
  email: text(320)
    .refine((email) => /^(?:[^\s@]+@[^\s@]+)?$/.test(email), withValue('must be an email address'))
    .describe('Email address. Empty if unknown.'),
  role: z
    .enum(USER_ROLES)
    .describe('A label that decides nothing: `owner` is the user of this computer, `member` any other user.'),
  created_at: timestamp.describe('When the user was added, in UTC.'),
})
export type User = z.output<typeof user>

const READ_ONLY = ['id', 'created_at'] as const
const userPatch = z.strictObject(user.omit({ id: true, created_at: true }).partial().shape)
export type UserPatch = z.output<typeof userPatch>

export const createUserRoute = defineRoute({
  method: 'POST',
  path: '/v1/users',
  summary: 'Create a user in addition to the user of this computer',
  access: can('users', 'create'),
  status: 201,
  body: userPatch.required({ name: true }),
  readOnly: READ_ONLY,
  result: user,
})

export const listUsersRoute = defineRoute({
  method: 'GET',
  path: '/v1/users',
  summary: 'List users',
  access: can('users', 'read'),
  status: 200,
  query: listQuery,
  result: z.array(user),
})

export const readOwnUserRoute = defineRoute({
  method: 'GET',
  path: '/v1/users/me',
  summary: 'Read the user that the request acts as',
  name: 'read_own_user',
  access: 'any-token',
  chosen: 'free',
  status: 200,
  item: true,
  result: user,
})

export const readUserRoute = defineRoute({
  method: 'GET',
  path: '/v1/users/:id',
  summary: 'Read a user',
  access: can('users', 'read'),
  status: 200,
  params: idParams,
  result: user,
})

export const updateUserRoute = defineRoute({
  method: 'PUT',
  path: '/v1/users/:id',
  summary: 'Change a user; absent keys keep their value',
  access: can('users', 'update'),
  status: 200,
  params: idParams,
  body: userPatch,
  readOnly: READ_ONLY,
  result: user,
})

export const deleteUserRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/users/:id',
  summary:
    'Delete a user with their tokens and the connector auths that nobody else may see; refused while a flow uses one of these unless force=true',
  access: can('users', 'delete'),
  status: 204,
  params: idParams,
  query: z.strictObject({
    force: z
      .enum(['true', 'false'])
      .optional()
      .describe(
        '`true` deletes the user even if flows use their private credentials. Those flows fail from then on.',
      ),
  }),
})

export const userRoutes = {
  createUserRoute,
  listUsersRoute,
  readOwnUserRoute,
  readUserRoute,
  updateUserRoute,
  deleteUserRoute,
}
