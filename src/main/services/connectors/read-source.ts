/** What a text makes of a connector: a description of an API by another tool, or a file of Millrace's own. */
import { connectorFile, type ConnectorImportPlan } from '../../../shared/contract/connector-imports.ts'
import { parseInput } from '../../../shared/contract/base/validate.ts'
import { planImport } from '../../engine/imports/index.ts'

export type ReadConnectorSource = ConnectorImportPlan

/** @throws AppError `validation` where the source cannot be read */
export function readConnectorSource(source: string): ReadConnectorSource {
  const { format, connector, actions, left_out, notes = [] } = planImport(source)
  const file = parseInput(
    connectorFile,
    { format: 'millrace-connector', version: 1, connector, actions },
    'source',
  )
  return { source_format: format, file, left_out: [...left_out], notes: [...notes] }
}
