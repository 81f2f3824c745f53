/** Lists the hosts and files that a file's flows will access, for review before the import. */
import type { Connector } from '../../../../shared/contract/connectors.ts'
import { ALARM_INPUT } from '../../../../shared/contract/alarms.ts'
import { ERROR_FLOW_INPUT } from '../../../../shared/contract/flows.ts'
import type { FlowFile, FlowImportPlan, FlowInFile } from '../../../../shared/contract/flow-files.ts'
import { definitionOf } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { isBareExpression, stepTemplates } from '../../../engine/flow/definition/templates-of.ts'
import { jinja, TemplateError } from '@millrace/jinja/environment'
import { BUILT_IN_NAMES } from '../../keeping/env/env.ts'
import { eachStep, textIn } from './read-source.ts'

type Survey = Pick<FlowImportPlan, 'addresses' | 'templates' | 'variables' | 'without_auth'>

export interface InstalledItems {
  readonly connector: (id: string) => Connector | null
  readonly envNames: ReadonlySet<string>
}

export function surveyFile(file: FlowFile, around: InstalledItems): Survey {
  const survey: Survey = { addresses: [], templates: [], variables: [], without_auth: [] }
  const read = new Set<string>()
  for (const flow of file.flows) {
    const own = new Set([...[...eachStep(flow.steps)].map((step) => step.ref_id), ...BUILT_IN])
    for (const step of eachStep(flow.steps)) surveyStep(flow, step, own, around, survey, read)
  }
  const made = new Set(file.setup.env_variables.map(({ name }) => name))
  for (const name of new Set([...made, ...read]))
    survey.variables.push({ name, is_there: around.envNames.has(name), is_made: made.has(name) })
  return survey
}

const BUILT_IN = [
  'item',
  'index',
  'input',
  'auth',
  'webhook',
  ...BUILT_IN_NAMES,
  ...ERROR_FLOW_INPUT,
  ...ALARM_INPUT,
]
const MOST_TEMPLATES = 1_000

function surveyStep(
  flow: FlowInFile,
  step: Step,
  own: ReadonlySet<string>,
  { connector }: InstalledItems,
  survey: Survey,
  read: Set<string>,
): void {
  const place = { flow: flow.name, ref_id: step.ref_id }
  const reached = definitionOf(step.type)?.reaches?.(step.config) ?? null
  if (reached === 'connector') {
    const called = connector(textIn(step, 'connector_id'))
    survey.addresses.push({
      ...place,
      address: called === null ? textIn(step, 'connector_id') : hostOf(called.base_domain),
    })
    if (called?.auth_config?.auth_types?.[0] !== 'none') survey.without_auth.push(place)
  } else if (reached !== null) {
    if (reached === 'url') survey.addresses.push({ ...place, address: hostOf(textIn(step, 'url')) })
    survey.without_auth.push(place)
  }
  for (const { field, source } of stepTemplates(step)) {
    if (survey.templates.length < MOST_TEMPLATES) survey.templates.push({ ...place, field, template: source })
    for (const name of namesIn(source, isBareExpression(field, source))) if (!own.has(name)) read.add(name)
  }
}

function namesIn(source: string, expression: boolean): Iterable<string> {
  try {
    return jinja.namesRead(source, { expression })
  } catch (error) {
    if (error instanceof TemplateError) return []
    throw error
  }
}

function hostOf(url: string): string {
  return /^https?:\/\/([^/?#{]+)/i.exec(url)?.[1] ?? url
}
