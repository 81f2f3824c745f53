/** Reads a connector from a string: another tool's API description, or Millrace's own file format. */
import { connectorFile, type ConnectorImportPlan } from '../../../../shared/contract/connector-imports.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { planImport } from '../../../engine/imports/index.ts'

export type ReadConnectorSource = ConnectorImportPlan

/** @throws AppError `validation` if the source can't be read */
export function readConnectorSource(source: string): ReadConnectorSource {
  const { format, connector, actions, left_out, notes = [] } = planImport(source)
  const file = parseInput(
    connectorFile,
    { format: 'millrace-connector', version: 1, connector, actions },
    'source',
  )
  return { source_format: format, file, left_out: [...left_out], notes: [...notes] }
}
