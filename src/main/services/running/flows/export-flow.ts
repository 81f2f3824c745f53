import type { FlowFile, FlowInFile } from '../../../../shared/contract/flow-files.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { type Data, type Dictionary, dictionaryOf, entriesOf, isDictionary } from '@millrace/jinja/data'
import { isSecretHeader, type Redactor } from '../../../engine/redaction/redactor.ts'
import type { Store } from '../../../store/index.ts'
import { flowNotFound } from '../../kit/not-found.ts'
import { copyOf, dropAuths, eachStep, textIn } from './read-source.ts'

/**
 * Exports a flow with all flows it runs or uses for error handling. Credentials aren't included, and secrets written
 * directly into a step are removed.
 *
 * @throws AppError `not_found`
 */
export function exportFlow(
  id: string,
  { flows, connectors, dataTables }: Pick<Store, 'flows' | 'connectors' | 'dataTables'>,
  redactor: Redactor,
): FlowFile {
  const first = flows.get(id)
  if (first === null) throw flowNotFound(id)
  const found = new Map([[first.id, first]])
  for (const flow of found.values()) {
    for (const other of namedBy(flow)) {
      const known = found.size < MOST_FLOWS && !found.has(other) ? flows.get(other) : null
      if (known !== null) found.set(known.id, known)
    }
  }
  const files = [...found.values()].map((flow) => toFile(flow, redactor))
  const names = new Map<string, string>()
  const tables = new Map<string, FlowFile['setup']['data_tables'][number]>()
  for (const { steps } of files) {
    for (const step of eachStep(steps)) {
      const connector = step.type === 'connector_action' ? connectors.get(textIn(step, 'connector_id')) : null
      if (connector !== null) names.set(connector.id, connector.name)
      const table = step.type === 'data_table' ? dataTables.byNameOrId(textIn(step, 'table')) : null
      if (table !== null) {
        // The table has a different ID in another Millrace.
        step.config['table'] = table.name
        const columns = table.columns.map(({ name, type }) => ({ name, type }))
        tables.set(table.name, { name: table.name, description: table.description, columns })
      }
    }
  }
  return {
    format: 'millrace-flow',
    version: 1,
    flows: files,
    references: { connectors: [...names].map(([connector, name]) => ({ id: connector, name })) },
    setup: { env_variables: [], connector_auths: [], data_tables: [...tables.values()] },
  }
}

const MOST_FLOWS = 50

function namedBy({ steps, settings }: Flow): string[] {
  const run = [...eachStep(steps)]
    .filter(({ type }) => type === 'run_flow')

    .map((step) => textIn(step, 'flow_id'))
  const named = [settings.error_handling_flow_id, settings.alarms?.flow_id ?? null]
  return [...run, ...named.filter((id) => id !== null)]
}

function toFile({ id, name, description, tags, settings, steps }: Flow, redactor: Redactor): FlowInFile {
  const copy = copyOf(steps)
  for (const step of eachStep(copy)) {
    dropAuths(step)
    step.config = redactTexts(step.config, redactor) as Step['config']
  }
  return { id, name, description, tags, settings, steps: copy }
}

/** Also redacts values of headers that carry secrets, unless they are templates. */
function redactTexts(value: unknown, redactor: Redactor, name = ''): unknown {
  if (typeof value === 'string') {
    if (isSecretHeader(name) && !value.includes('{{')) return ''
    return redactor.redactData(value)
  }
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, redactor))
  if (!isDictionary(value as Data)) return value
  return dictionaryOf(
    entriesOf(value as Dictionary).map(([key, item]) => [key, redactTexts(item, redactor, key) as Data]),
  )
}
