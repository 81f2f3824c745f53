/** The screens that a page opened from elsewhere can show. */
import type { Entity } from '../../../shared/contract/base/scopes.ts'
import type { Api } from '../../api/create-api.ts'

/** The entity that a page from elsewhere must be able to read to show a screen. */
const NEEDS: Readonly<Record<string, Entity>> = {
  '/flows': 'flows',
  '/runs': 'flow_runs',
  '/webhooks': 'flow_runs',
  '/connectors': 'connectors',
  '/auths': 'connector_auths',
  '/env-variables': 'env_variables',
  '/data-tables': 'data_tables',
  '/files': 'file_uploads',
  '/users': 'users',
  '/plugins': 'flows',
  '/settings': 'settings',
}

/** Whether the page can read what the screen shows. */
export function isOpenTo(api: Pick<Api, 'may' | 'remote'>, to: string): boolean {
  if (to === '/logs') return api.remote === null
  // The tester sends requests, so reading isn't enough.
  if (to === '/pagination') return api.may('connectors', 'create')
  const entity = NEEDS[to]
  return entity === undefined || api.may(entity, 'read')
}
