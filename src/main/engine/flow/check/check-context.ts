import type { Action, Connector } from '../../../../shared/contract/connectors.ts'

/** What is known around a flow that is about to be saved. */
export interface CheckContext {
  /** Names of env values. */
  readonly envNames: ReadonlySet<string>
  /** Steps of the stored flow whose types are unknown, as `ref_id/type`: an imported one may stay. */
  readonly toleratedSteps: ReadonlySet<string>
  hasConnector(connectorId: string): boolean
  findAction(connectorId: string, action: string): Action | null
  /** Of a connector; null where it has none. */
  paginationOf(connectorId: string): Connector['pagination_config']
  /** The connector it is for; null where there is no such auth. */
  connectorOfAuth(authId: string): string | null
}
