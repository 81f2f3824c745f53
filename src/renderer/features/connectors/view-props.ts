import type { Action, Connector, ConnectorPatch } from '../../../shared/contract/connectors.ts'
import type { AppError } from '../../../shared/contract/base/errors.ts'
import type { PagingSheetProps } from '../../components/pagination/paging-sheet.tsx'

/** The properties of each part of a connector's screen. */
export interface ConnectorViewProps extends Pick<PagingSheetProps, 'trip'> {
  /** The connector with the unsaved changes. */
  readonly connector: Connector
  /** The connector's actions, with the unsaved changes. */
  readonly actions: readonly Action[]
  readonly failure: AppError | null
  readonly readOnly: boolean
  readonly onChange: (patch: ConnectorPatch) => void
}
