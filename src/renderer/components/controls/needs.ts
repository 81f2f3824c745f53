/**
 * The permission that a control needs, and why it is missing: a page opened from elsewhere has the scopes of its token.
 */
import type { Route } from '../../../shared/contract/base/route.ts'
import { managesTokens, narrowestScope } from '../../../shared/contract/base/scopes.ts'
import type { Api } from '../../api/create-api.ts'
import { useApiIfAny } from '../../api/provider.tsx'
import { t } from '../../lib/i18n.ts'

export type Needs = Pick<Route, 'access'>

/** Whether the session can call the route. */
export function mayCall(api: Pick<Api, 'may' | 'remote'>, { access }: Needs): boolean {
  if (typeof access === 'object') return api.may(access.entity, access.operation)
  if (api.remote === null) return true
  return access === 'manage-tokens' ? managesTokens(api.remote.scopes) : access !== 'session'
}

/** Why the session can't call the route; null if it can. */
export function useRefusal(needs: Needs | undefined): string | null {
  const api = useApiIfAny()
  if (needs === undefined || api === null || mayCall(api, needs)) return null
  const { access } = needs
  if (access === 'session') return t('This works only on the computer that runs Millrace.')
  return typeof access === 'object'
    ? t('Your access token doesn’t allow this. It needs the scope {{scope}}.', {
        scope: narrowestScope(access.entity, access.operation),
      })
    : t('Your access token doesn’t allow this. It’s read-only.')
}
