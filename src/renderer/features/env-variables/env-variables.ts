import { type createEnvVariableRoute, listEnvVariablesRoute } from '../../../shared/contract/env-variables.ts'
import type { RouteRequest } from '../../../shared/contract/base/route.ts'
import { resource } from '../../api/resource.ts'

export type EnvVariableBody = NonNullable<RouteRequest<typeof createEnvVariableRoute>['body']>

export const ENV_VARIABLES = resource(listEnvVariablesRoute, {
  nouns: ['env_variable'],
  query: { sort: 'name' },
  all: true,
})

/** Auths that would then point to another origin need their secrets again, as the list of auths shows. */
export const REENTRY = { reentry: 'true' } as const
