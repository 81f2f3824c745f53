import { say, type Said, sentenceOf } from '../../../../shared/contract/base/message.ts'
import {
  definitionOf,
  facesOf,
  HTTP_TRIGGER_TYPES,
  isStepType,
} from '../../../../shared/contract/step-types/index.ts'
import { CONNECTOR_ID_OF } from '../../../../shared/contract/connectors.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { Data } from '@millrace/jinja/data'
import { checkPaginationConfig } from '../../pagination/index.ts'
import {
  type CheckContext,
  type DefinitionProblem,
  placeholdersOfAction,
  problemAt,
  unknownStepSentence,
  warningAt,
} from './problem.ts'
import { pathInBody, restMembersOf } from './rest-members.ts'
import { takesPages } from './takes-pages.ts'
import { stepTemplates } from './templates-of.ts'
import { missingPlugin, unreadiness } from '../steps/support/plugin-call.ts'
import type { Visit } from './walk-steps.ts'
import { jsonBodyProblem } from '../../webhook/build-response.ts'

/** Returns warnings about settings that are allowed in a step but probably unintended. */
export function warnOfStep(
  { step, location, before, loops }: Visit,
  context: CheckContext,
): DefinitionProblem[] {
  const warn = (code: string, field: string, reason: Said) => warningAt(location, field, reason, { code })
  const warnings: DefinitionProblem[] = []
  if ((step.on_error === 'skip_iteration' || step.on_error === 'break_loop') && loops.length === 0) {
    warnings.push(
      warn(
        'no_loop',
        'on_error',
        say("is {{on_error}}, but the step isn't in a loop; it works like stop", { on_error: step.on_error }),
      ),
    )
  }
  const { config } = step
  if (!isStepType(step.type)) warnings.push(warn('unknown_step_type', 'type', unknownStepSentence(step)))
  if (step.type === 'connector_action') {
    warnings.push(
      ...missingRecords(config, context).map(([field, reason]) => warn('missing_record', field, reason)),
      ...leftInAction(config, context).map((reason) => warn('not_imported', 'config.action', reason)),
      ...pagingOf(config, context).map((problem) =>
        warn(
          problem.code,
          'config.action',
          say('uses the pagination of its connector: {{message}}', { message: sentenceOf(problem) }),
        ),
      ),
    )
  }
  if (typeof config['plugin'] === 'string' && definitionOf(step.type)?.config.shape['plugin'] !== undefined) {
    const found = context.findPlugin(config['plugin'])
    const reason = unreadiness(config['plugin'], found)
    if (reason !== null)
      warnings.push(warn('plugin_unavailable', 'config.plugin', say('fails: {{reason}}', { reason })))
    else if (typeof config['hash'] === 'string' && config['hash'] !== found?.hash) {
      const changed = say(
        'was made with different files of the plug-in "{{name}}"; check what it does, and change or choose the step again',
        { name: config['plugin'] },
      )
      warnings.push(warn('plugin_changed', 'config.plugin', changed))
    }
  }
  if (step.type === 'loop' && config['start'] === 'first_page' && !takesPages(step, before)) {
    const reason = say(
      'is first_page, but the loop waits for the whole list: put it directly after the paginated step, and write only that step in "over", as {{template}}',
      { template: `{{ ${before?.ref_id ?? 'its_ref_id'} }}` },
    )
    warnings.push(warn('waits_for_list', 'config.start', reason))
  }
  const ofAuth = authProblem(step, context)
  if (ofAuth !== null) warnings.push(warn('missing_record', 'config.auth_id', ofAuth))
  if (step.type === 'try' && (step.catch ?? []).length + (step.finally ?? []).length === 0)
    warnings.push(
      warn(
        'no_handling',
        '',
        say('has no steps in "catch" or "finally", so a failure is passed on as it is'),
      ),
    )
  if (step.type === 'condition' && config['when'] !== undefined && config['comparison'] !== undefined) {
    warnings.push(warn('not_read', 'config.comparison', say('is ignored, because "when" is set')))
  }
  return warnings
}

/** Reports an action that was imported incompletely, because it fails in every flow that calls it. */
function leftInAction(
  { connector_id: connectorId, action: name }: Step['config'],
  context: CheckContext,
): Said[] {
  const action =
    typeof connectorId === 'string' && typeof name === 'string' ? context.findAction(connectorId, name) : null
  return action === null
    ? []
    : placeholdersOfAction(action).map(([field, reason]) =>
        say('has a placeholder in its {{field}}, which {{reason}}', { field, reason }),
      )
}

/**
 * All warnings about the connector's pagination config concern a flow that uses it, except those about the names it
 * reads.
 */
function pagingOf(config: Step['config'], context: CheckContext) {
  const { connector_id: connectorId, action: name, retrieve_all_data: wish } = config
  if (typeof connectorId !== 'string' || typeof name !== 'string' || wish === false) return []
  const action = context.findAction(connectorId, name)
  const pagination = action?.supports_automatic_pagination ? context.paginationOf(connectorId) : null
  if (pagination === null) return []
  return checkPaginationConfig(pagination as Data, []).problems.filter(
    ({ severity }) => severity === 'warning',
  )
}

/** Warns instead of failing, because the records may be created after the flow, or be missing after an import. */
function missingRecords(config: Step['config'], context: CheckContext): [field: string, reason: Said][] {
  const { connector_id: connectorId, action } = config
  if (typeof connectorId !== 'string' || typeof action !== 'string') return []
  const plugin = context.findAction(connectorId, action)
    ? null
    : missingPlugin(connectorId, context.findPlugin)
  if (plugin !== null) return [['config.connector_id', say('fails: {{reason}}', { reason: plugin })]]
  if (!context.hasConnector(connectorId))
    return [['config.connector_id', say('there is no connector {{id}}', { id: connectorId })]]
  const missing: [string, Said][] = []
  if (!context.findAction(connectorId, action)) {
    missing.push(['config.action', say('the connector has no action "{{action}}"', { action })])
  }
  return missing
}

/** The connector that a step's auth belongs to, if that is known: its own, or the one that new auths get. */
export function connectorOfStep(type: string, { connector_id: connectorId }: Step['config']): string | null {
  if (typeof connectorId === 'string' && connectorId !== '') return connectorId
  const [kind] = facesOf(type, 'auth_id').flatMap(({ connector }) => connector ?? [])
  return kind === undefined ? null : CONNECTOR_ID_OF[kind]
}

/** A warning rather than an error, because auths may be created after the flow, or be missing after an import. */
function authProblem({ type, config }: Step, context: CheckContext): Said | null {
  const { auth_id: id, connector_id: connector } = config
  if (facesOf(type, 'auth_id').length === 0) return null
  if (id === undefined || id === null || id === '') return absentAuth(type, config, context)
  if (typeof id !== 'string' || id.includes('{')) return null
  const owner = context.connectorOfAuth(id.trim())
  if (owner === null) return say('there is no connector auth {{id}}', { id })
  return typeof connector !== 'string' || owner === connector || !context.hasConnector(connector)
    ? null
    : say('is a connector auth for another connector')
}

function absentAuth(type: string, config: Step['config'], context: CheckContext): Said | null {
  const { auth_id: id, dynamic_auth_id: dynamic, connector_id: connector, file } = config
  if (type === 'sql')
    return id === '' && !file ? say('is empty; choose a connector auth for the database') : null
  const isNeeded =
    type === 'send_email' ||
    (type === 'connector_action' && typeof connector === 'string' && context.needsAuth(connector))
  return isNeeded && !dynamic
    ? say('is missing: these calls need credentials; choose a connector auth')
    : null
}

/** Properties that a `rest` step never returns but a template reads. */
export function warnOfRestMembers(
  { step, location }: Pick<Visit, 'step' | 'location'>,
  rests: ReadonlySet<string>,
): DefinitionProblem[] {
  return restMembersOf(step, rests).map(({ owner, key, field, line, column }) =>
    warningAt(
      location,
      field,
      say(
        'reads "{{key}}" from the rest step "{{owner}}", whose result has status, headers and body; in the body it is {{path}}',
        { key, owner, path: pathInBody(owner, key) },
      ),
      { code: 'read_beside_body', line, column },
    ),
  )
}

/** Warns about JSON written as a string: a quote in a value breaks it unless the value goes through `tojson`. */
export function warnOfJsonTexts({ step, location }: Pick<Visit, 'step' | 'location'>): DefinitionProblem[] {
  return stepTemplates(step)
    .filter(({ field, source }) => JSON_TEXT.test(source) && !isPlacedByContext(step, field))
    .flatMap(({ field, source }) => {
      const bare = (source.match(OUTPUTS) ?? []).find((output) => !AS_JSON.test(output))
      if (bare === undefined) return []
      return [
        problemAt(
          location,
          field,
          say('is JSON, and {{template}} may break it; end it with "| tojson"', {
            template: bare.slice(0, 60),
          }),
        ),
      ]
    })
}

/** Begins like an object or a list, but not with a tag. */
// linear: the look-ahead reads one character
const JSON_TEXT = /^\s*(?:\{(?![{%#])|\[)/
const OUTPUTS = /\{\{[^{}]{0,500}\}\}/g
const AS_JSON = /\|\s*(?:tojson|jsonify|to_json)\b/

/** Warns about a response that is declared as JSON but can't be read as such. */
export function warnOfResponseBody({
  step,
  location,
}: Pick<Visit, 'step' | 'location'>): DefinitionProblem[] {
  const { type, config } = step
  const [prefix, isSent] =
    type === 'respond' ? ['', true] : ['response_', type === 'webhook' && config['async'] !== true]
  const body = config[`${prefix}body`]
  const headers = config[`${prefix}headers`] ?? {}
  if (!isSent || typeof body !== 'string' || !isTexts(headers)) return []
  const fault = jsonBodyProblem({ body, headers })
  return fault === undefined
    ? []
    : [
        problemAt(
          location,
          `config.${prefix}body`,
          say(
            "begins like JSON but isn't JSON, so it's sent as text; correct it, or set the header Content-Type to text/plain: {{fault}}",
            { fault },
          ),
        ),
      ]
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((text) => typeof text === 'string')
  )
}

/** Fields that encode values for their position, so that a value can't break the JSON. */
function isPlacedByContext({ type, config }: Step, field: string): boolean {
  if (field === 'config.response_body' || (type === 'respond' && field === 'config.body')) return true
  return type === 'rest' && field === 'config.body' && PLACED.has(config['body_type'] ?? 'json')
}

const PLACED: ReadonlySet<unknown> = new Set(['json', 'xml'])

/** Steps intended for a caller to whom an `async` webhook, or a form, has already responded. */
export function warnOfAsync(visits: readonly Visit[]): DefinitionProblem[] {
  const first = visits.find(({ step, canStart }) => canStart && HTTP_TRIGGER_TYPES.includes(step.type))
  const responding = visits.filter(({ step }) => step.type === 'respond' && !step.disabled)
  if (first?.step.type === 'form_trigger' && first.step.config['response'] !== 'page')
    return responding.map(({ location }) =>
      problemAt(
        location,
        '',
        say(
          'has no caller to respond to: the form "{{ref_id}}" responds immediately unless its "response" is page',
          { ref_id: first.step.ref_id },
        ),
      ),
    )
  if (first?.step.type !== 'webhook' || first.step.config['async'] !== true) return []
  const { response_body: body } = first.step.config
  return [
    ...(typeof body === 'string' && body !== ''
      ? [
          problemAt(
            first.location,
            'config.response_body',
            say('isn\'t sent: the webhook responds immediately ("async")'),
          ),
        ]
      : []),
    ...responding.map(({ location }) =>
      problemAt(
        location,
        '',
        say('has no caller to respond to: the webhook "{{ref}}" responds immediately ("async")', {
          ref: first.step.ref_id,
        }),
      ),
    ),
  ]
}
