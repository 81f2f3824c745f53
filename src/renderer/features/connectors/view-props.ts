import type { Connector, ConnectorPatch } from '../../../shared/contract/connectors.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'

/** What each part of a connector's screen is given. */
export interface ConnectorViewProps {
  /** With the changes that are not saved yet. */
  readonly connector: Connector
  readonly changes: ConnectorPatch
  readonly failure: AppError | null
  readonly readOnly: boolean
  readonly onChange: (patch: ConnectorPatch) => void
}
