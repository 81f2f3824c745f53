import type { Connector, ConnectorPatch } from '../../../shared/contract/connectors.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'

/** The properties of each part of a connector's screen. */
export interface ConnectorViewProps {
  /** With the unsaved changes. */
  readonly connector: Connector
  readonly changes: ConnectorPatch
  readonly failure: AppError | null
  readonly readOnly: boolean
  readonly onChange: (patch: ConnectorPatch) => void
}
