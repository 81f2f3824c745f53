/** Converts nodes of services that have a built-in connector to calls of its actions. */
import { say } from '@millrace/jinja/said'
import type { Step } from '../source/steps.ts'
import { isRecord, ownOf, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { manyItems, oneItem } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import type { Converted, NodeContext, NodeType } from './node-context.ts'

export interface Service {
  /** The ID of its connector, as in `resources/connectors`. */
  readonly connector: string
  /** The defaults of a node that names no resource or operation; the operation depends on the resource. */
  readonly usual: { readonly resource: string; readonly operation: Readonly<Record<string, string>> }
  /** Keyed by resource and operation, such as `message.post`. */
  readonly actions: Readonly<Record<string, ServiceAction>>
}

export type ServiceAction = ActionCall | ((context: NodeContext, call: Calls) => Converted)

/** One call. Parameters that aren't in the table would change its meaning, so they are rejected. */
export interface ActionCall {
  readonly action: string
  /** Maps n8n's parameters, such as `chatId` or `options.parse_mode`, to the action's input. */
  readonly takes: Readonly<Record<string, Take>>
  /** Input that is used unless a parameter sets it. */
  readonly usual?: Readonly<Record<string, unknown>>
  /** Checks what depends on the node's version. It `refuse`s what differs, and can return input. */
  readonly check?: (context: NodeContext) => Readonly<Record<string, unknown>> | undefined
  /** JavaScript that converts `answer` to n8n's result: an item, or with `gives: 'many'` a list of them. */
  readonly reshape?: string
  readonly gives?: 'one' | 'many'
}

/**
 * The name of an input, or a function that returns inputs by name for n8n's value. Null for parameters without a
 * meaning here.
 */
export type Take =
  | string
  | null
  | ((value: unknown, context: NodeContext) => Readonly<Record<string, unknown>>)

/** A string that is already a template, whereas n8n's values would be translated. */
export class Template {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

export interface Calls {
  /** A step that calls an action of the service's connector. */
  action(ref: string, action: string, input: Readonly<Record<string, unknown>>, title?: string): Step
  /** Fails if any other parameters are set. */
  onlyTakes(known: readonly string[]): Plain
}

export function serviceNode({ connector, usual, actions }: Service): NodeType {
  return {
    runs: 'each',
    convert(given) {
      const notes: Parameters<NodeContext['note']>[] = []
      const context: NodeContext = { ...given, note: (...note) => void notes.push(note) }
      const { node } = context
      const resource = nameIn(node.parameters['resource'], usual.resource)
      const operation = nameIn(node.parameters['operation'], ownOf(usual.operation, resource) ?? '')
      const found = ownOf(actions, `${resource}.${operation}`)
      if (found === undefined) return refuse(say`has the operation "${operation}" of "${resource}"`)
      const calls = createCalls(context, connector)
      const converted = typeof found === 'function' ? found(context, calls) : oneCall(context, calls, found)
      sayCredentials(context)
      // Notes are only passed on now, because they don't apply to a node that is kept as it was.
      for (const note of notes) given.note(...note)
      return converted
    },
  }
}

function nameIn(value: unknown, usual: string): string {
  if (isExpression(value)) return refuse(say`uses an expression for its operation`)
  return (textOf(value) || usual).slice(0, 60)
}

export function sayCredentials({ node, note }: NodeContext): void {
  const names = node.credentials.map((name) => `"${name}"`).join(', ')
  note(
    'config.auth_id',
    names === ''
      ? say`signed in with credentials of n8n; choose a connector auth`
      : say`signed in with n8n's credentials ${names}; choose a connector auth`,
  )
}

function createCalls(context: NodeContext, connector: string): Calls {
  return {
    action(ref, action, input, title) {
      const entries = Object.entries(input).filter(([, value]) => value !== undefined)
      const read = entries.map(([name, value]) => [name, inputOf(context, `config.input.${name}`, value)])
      const config = { connector_id: connector, action, input: Object.fromEntries(read) as Plain }
      return { ref_id: ref, type: 'connector_action', ...(title === undefined ? {} : { title }), config }
    },
    onlyTakes(known) {
      const given = parametersOf(context)
      for (const name of Object.keys(given))
        if (!known.includes(name)) refuse(say`sets "${name.slice(0, 80)}"`)
      return given
    },
  }
}

/** Templates can be nested in an object. */
function inputOf(context: NodeContext, field: string, value: unknown): unknown {
  if (value instanceof Template) return value.source
  if (!isRecord(value) || !Object.values(value).some((one) => one instanceof Template))
    return context.value(field, value)
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, inputOf(context, `${field}.${key}`, one)]),
  )
}

/** Groups in which n8n keeps optional parameters. */
const GROUPS = new Set([
  'additionalFields',
  'editFields',
  'options',
  'otherOptions',
  'updateFields',
  'filters',
  'columns',
])
const EVERYWHERE = new Set(['resource', 'operation', 'authentication'])

/** A node's parameters by path, such as `options.parse_mode`. */
function parametersOf({ node }: NodeContext): Plain {
  const entries = Object.entries(node.parameters).filter(([name]) => !EVERYWHERE.has(name))
  return Object.fromEntries(
    entries.flatMap(([name, value]): [string, unknown][] =>
      GROUPS.has(name) && isRecord(value)
        ? Object.entries(value).map(([key, held]) => [`${name}.${key}`, held])
        : [[name, value]],
    ),
  )
}

export function oneCall(context: NodeContext, calls: Calls, call: ActionCall): Converted {
  const { ref } = context
  const input: Record<string, unknown> = { ...call.usual, ...call.check?.(context) }
  const given = calls.onlyTakes(Object.keys(call.takes))
  for (const [path, value] of Object.entries(given)) {
    const take = call.takes[path] ?? null
    if (take === null) continue
    Object.assign(input, typeof take === 'string' ? { [take]: value } : take(value, context))
  }
  const step = calls.action(ref, call.action, input)
  const many = call.gives === 'many'
  if (call.reshape === undefined)
    return { kind: 'steps', steps: [step], gives: many ? manyItems(ref) : oneItem(ref) }
  const shaped = context.newRef(`${ref}_item${many ? 's' : ''}`)
  return {
    kind: 'steps',
    steps: [step, codeStep(context, shaped, `const answer = ${answerOf(ref)}\n${call.reshape}`)],
    gives: many ? manyItems(shaped) : oneItem(shaped),
  }
}

/** The result of a step. It fails like the step if the flow continued after the step's failure. */
export function answerOf(ref: string): string {
  return `((answer) => (answer?.error?.code !== undefined && answer.error.message !== undefined && Object.keys(answer).length === 1 ? $fail(answer.error.message) : answer))(input.${ref})`
}

export function codeStep({ node, scripts }: NodeContext, ref: string, body: string): Step {
  return {
    ref_id: ref,
    type: 'code',
    title: `${node.name}: JavaScript`.slice(0, 200),
    config: { ...scripts.program(body) },
  }
}

/** The value of a parameter that is chosen from a list or given by id, name or URL. */
export function locate(
  value: unknown,
  { url, known = ['list', 'id', 'name'] }: { readonly url?: RegExp; readonly known?: readonly string[] } = {},
): { readonly mode: string; readonly value: unknown } {
  if (!isRecord(value)) return { mode: 'id', value }
  const mode = textOf(value['mode']) || 'list'
  const held = value['value']
  if (mode === 'url' && url !== undefined) {
    if (isExpression(held)) return refuse(say`uses an expression for a URL that selects a record`)
    return { mode: 'id', value: url.exec(textOf(held))?.[1] ?? refuse(say`has a URL that leads nowhere`) }
  }
  return known.includes(mode) ? { mode, value: held } : refuse(say`selects by "${mode.slice(0, 40)}"`)
}

/** Leaves out the attribution that n8n appends to messages. */
export function withoutAttribution({ node, note }: NodeContext, option: unknown, since: number): void {
  if (isExpression(option)) refuse(say`uses an expression to turn the line about n8n on or off`)
  if (option === undefined ? node.version >= since : option !== false)
    note(null, say`added a line about n8n to its message; here it is left out`)
}
