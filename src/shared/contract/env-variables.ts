import { withValue } from './base/message.ts'
import { doc } from './base/doc.ts'
import { z } from 'zod'
import { idParams, json, listQuery, timestamp, wholeCharacters } from './base/common.ts'
import { reentryQuery } from './base/reentry.ts'
import { can, defineRoute } from './base/route.ts'

export const ENV_VARIABLE_TYPES = ['text', 'number', 'list', 'object'] as const

/** A value that all templates can read by its bare name. */
export const envVariable = z.object({
  id: z.string().describe('ID of the variable.'),
  name: z
    .string()
    .regex(
      /^[A-Za-z_][A-Za-z0-9_]{0,99}$/,
      withValue('must be at most 100 letters, digits and _, not starting with a digit'),
    )
    .describe(
      'Name that templates use for the variable: `{{ region }}`. Letters, digits and `_`, not starting with a digit.',
    )
    .meta({ examples: ['region'] }),
  type: z.enum(ENV_VARIABLE_TYPES).describe('Type of the value: `text`, `number`, `list` or `object`.'),
  value: json
    .check(wholeCharacters)
    .describe(
      'The value, of the type that `type` names. Null in responses if the variable is secret; null in a change keeps a secret value.',
    )
    .meta({ examples: ['eu'] }),
  secret: z
    .boolean()
    .meta(doc('True encrypts the value, never returns it and hides it in the run history.', false)),
  state: z
    .enum(['ok', 'needs_reentry'])
    .describe("`ok`, or `needs_reentry` if the value can't be decrypted on this computer."),
  created_at: timestamp.describe('When the variable was created, in UTC.'),
  updated_at: timestamp.describe('When the variable was last changed, in UTC.'),
})
export type EnvVariable = z.output<typeof envVariable>

const READ_ONLY = ['id', 'state', 'created_at', 'updated_at'] as const
const envVariablePatch = z.strictObject(
  envVariable.omit({ id: true, state: true, created_at: true, updated_at: true }).partial().shape,
)
export type EnvVariablePatch = z.output<typeof envVariablePatch>

export const createEnvVariableRoute = defineRoute({
  method: 'POST',
  path: '/v1/env-variables',
  summary: 'Create a variable, which templates read by its name',
  access: can('env_variables', 'create'),
  status: 201,
  query: reentryQuery,
  body: envVariablePatch.required({ name: true, type: true, value: true }),
  readOnly: READ_ONLY,
  result: envVariable,
})

export const listEnvVariablesRoute = defineRoute({
  method: 'GET',
  path: '/v1/env-variables',
  summary: 'List variables; the values of secret ones are null',
  access: can('env_variables', 'read'),
  status: 200,
  query: listQuery,
  result: z.array(envVariable),
})

export const readEnvVariableRoute = defineRoute({
  method: 'GET',
  path: '/v1/env-variables/:id',
  summary: 'Read a variable; the value of a secret one is null',
  access: can('env_variables', 'read'),
  status: 200,
  params: idParams,
  result: envVariable,
})

export const updateEnvVariableRoute = defineRoute({
  method: 'PUT',
  path: '/v1/env-variables/:id',
  summary: 'Change a variable; absent keys keep their value, and null keeps the value of a secret one',
  access: can('env_variables', 'update'),
  status: 200,
  query: reentryQuery,
  params: idParams,
  body: envVariablePatch,
  readOnly: READ_ONLY,
  result: envVariable,
})

export const deleteEnvVariableRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/env-variables/:id',
  summary: 'Delete a variable',
  access: can('env_variables', 'delete'),
  status: 204,
  query: reentryQuery,
  params: idParams,
})

export const envVariableRoutes = {
  createEnvVariableRoute,
  listEnvVariablesRoute,
  readEnvVariableRoute,
  updateEnvVariableRoute,
  deleteEnvVariableRoute,
}
