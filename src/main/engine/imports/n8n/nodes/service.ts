/** Nodes of services for which a connector is built in: its actions, called as n8n calls the service. */
import type { StepInput } from '../../../../../shared/contract/steps.ts'
import { isRecord, ownOf, type Plain, textOf } from '../../plain.ts'
import { isExpression } from '../expression/template.ts'
import { manyItems, oneItem } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import type { Converted, NodeContext, NodeType } from './node-context.ts'

export interface Service {
  /** Its connector's id, as in `resources/connectors`. */
  readonly connector: string
  /** What a node has that names none; its operation by the resource. */
  readonly usual: { readonly resource: string; readonly operation: Readonly<Record<string, string>> }
  /** By resource and operation: `message.post`. */
  readonly actions: Readonly<Record<string, ServiceAction>>
}

export type ServiceAction = ActionCall | ((context: NodeContext, call: Calls) => Converted)

/** One call. Parameters that are not in the table would change what it means, so they are refused. */
export interface ActionCall {
  readonly action: string
  /** What the action's input gets of each of n8n's parameters: `chatId`, `options.parse_mode`. */
  readonly takes: Readonly<Record<string, Take>>
  /** Input where no parameter gives it. */
  readonly usual?: Readonly<Record<string, unknown>>
  /** Of a version of the node: `refuse`s what it does otherwise, and may give input of its own. */
  readonly check?: (context: NodeContext) => Readonly<Record<string, unknown>> | undefined
  /** JavaScript that makes of `answer` what n8n gives: an item, or with `gives: 'many'` the list of them. */
  readonly reshape?: string
  readonly gives?: 'one' | 'many'
}

/**
 * The name of an input; inputs by their names, made of the value as n8n keeps it; null for what has no meaning here.
 */
export type Take =
  | string
  | null
  | ((value: unknown, context: NodeContext) => Readonly<Record<string, unknown>>)

/** A template, where a value of n8n's would be translated. */
export class Template {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

export interface Calls {
  /** A step that calls an action of the service's connector. */
  action(ref: string, action: string, input: Readonly<Record<string, unknown>>, title?: string): StepInput
  /** Nothing but these parameters may be set. */
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
      if (found === undefined) return refuse(`does "${operation || 'nothing'}" with "${resource}"`)
      const calls = createCalls(context, connector)
      const converted = typeof found === 'function' ? found(context, calls) : oneCall(context, calls, found)
      sayCredentials(context)
      // Of a node that is kept as it was there is nothing else to say.
      for (const note of notes) given.note(...note)
      return converted
    },
  }
}

function nameIn(value: unknown, usual: string): string {
  if (isExpression(value)) return refuse('calculates what it does')
  return (textOf(value) || usual).slice(0, 60)
}

function sayCredentials({ node, note }: NodeContext): void {
  const names = node.credentials.map((name) => `"${name}"`).join(', ')
  note(
    'config.auth_id',
    `signed in with ${names === '' ? 'credentials of n8n' : `n8n's credentials ${names}`}; choose a connector auth`,
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
      for (const name of Object.keys(given)) if (!known.includes(name)) refuse(`sets "${name.slice(0, 80)}"`)
      return given
    },
  }
}

/** Templates may lie in a dictionary. */
function inputOf(context: NodeContext, field: string, value: unknown): unknown {
  if (value instanceof Template) return value.source
  if (!isRecord(value) || !Object.values(value).some((one) => one instanceof Template))
    return context.value(field, value)
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, inputOf(context, `${field}.${key}`, one)]),
  )
}

/** Groups in which n8n keeps parameters that need not be there. */
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

/** By their paths: `options.parse_mode`. */
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

/** What a step gave; it fails as that did where the flow went on. */
export function answerOf(ref: string): string {
  return `((answer) => (answer?.error?.code !== undefined && answer.error.message !== undefined && Object.keys(answer).length === 1 ? $fail(answer.error.message) : answer))(input.${ref})`
}

export function codeStep({ node, scripts }: NodeContext, ref: string, body: string): StepInput {
  return {
    ref_id: ref,
    type: 'code',
    title: `${node.name}: JavaScript`.slice(0, 200),
    config: { source: scripts.program(body) },
  }
}

/** The value of what is chosen from a list, or given by its id, name or address. */
export function locate(
  value: unknown,
  { url, known = ['list', 'id', 'name'] }: { readonly url?: RegExp; readonly known?: readonly string[] } = {},
): { readonly mode: string; readonly value: unknown } {
  if (!isRecord(value)) return { mode: 'id', value }
  const mode = textOf(value['mode']) || 'list'
  const held = value['value']
  if (mode === 'url' && url !== undefined) {
    if (isExpression(held)) return refuse('calculates an address of what it works on')
    return { mode: 'id', value: url.exec(textOf(held))?.[1] ?? refuse('has an address that leads nowhere') }
  }
  return known.includes(mode) ? { mode, value: held } : refuse(`chooses by ${mode.slice(0, 40)}`)
}

/** Not what n8n adds to messages about itself. */
export function withoutAttribution({ node, note }: NodeContext, option: unknown, since: number): void {
  if (isExpression(option)) refuse('calculates whether it adds a line about n8n')
  if (option === undefined ? node.version >= since : option !== false)
    note(null, 'added a line about n8n to the message, which is left out')
}
