/** Reads an n8n workflow file without assuming anything about its content. */
import { childOf, isRecord, type Plain, textOf } from './plain-json.ts'

export interface Workflow {
  readonly name: string
  readonly nodes: ReadonlyMap<string, Node>
  /** Targets of a node's outputs, by its name; those of each output are in the order in which they run. */
  readonly outputs: ReadonlyMap<string, readonly (readonly Target[])[]>
  /** Models, tools and memories attached to a node, by its name. */
  readonly attached: ReadonlyMap<string, readonly Node[]>
  /** The connections, if none of their names belongs to a node. */
  readonly strayConnections: readonly string[]
  readonly settings: Plain
  readonly tags: readonly string[]
}

export interface Node {
  readonly name: string
  /** `n8n-nodes-base.httpRequest` */
  readonly type: string
  readonly version: number
  readonly parameters: Plain
  readonly disabled: boolean
  readonly notes: string
  /** Names of the stored credentials it uses. */
  readonly credentials: readonly string[]
  readonly retry: { readonly attempts: number; readonly wait_seconds: number } | null
  readonly onError: 'stop' | 'continue' | 'error_output'
  /** Whether it only runs for the first of its items. */
  readonly executeOnce: boolean
  /** Whether it returns an empty item if it has no other. */
  readonly alwaysOutputData: boolean
  /** The position, compared from top to bottom, then from left to right. */
  readonly place: readonly [y: number, x: number]
}

export interface Target {
  readonly node: string
  readonly input: number
}

/** Null if the value isn't a workflow. */
export function readWorkflow(value: unknown): Workflow | null {
  if (!isRecord(value)) return null
  const inner = childOf(value, 'workflow')
  const file = Array.isArray(value['nodes']) ? value : Array.isArray(inner['nodes']) ? inner : null
  if (file === null || (file['connections'] !== undefined && !isRecord(file['connections']))) return null
  const sources = (file['nodes'] as unknown[]).slice(0, MOST_NODES).filter(isRecord)
  if (
    sources.length > 0 &&
    !sources.some((one) => typeof one['type'] === 'string' && isRecord(one['parameters']))
  )
    return null
  const nodes = new Map<string, Node>()
  for (const source of sources) {
    const node = readNode(source)
    if (node.name !== '' && !nodes.has(node.name)) nodes.set(node.name, node)
  }
  const settings = childOf(file, 'settings')
  const connections = childOf(file, 'connections')
  return {
    name: (textOf(file['name']) || textOf(value['name']) || 'From n8n').slice(0, 200),
    nodes,
    outputs: readOutputs(connections, nodes, settings['executionOrder'] === 'v1'),
    attached: readAttached(connections, nodes),
    strayConnections: Object.keys(connections).some((name) => nodes.has(name))
      ? []
      : Object.keys(connections),
    settings,
    tags: listOf(file['tags'])
      .map((tag) => (isRecord(tag) ? textOf(tag['name']) : textOf(tag)).slice(0, 60))
      .filter((tag) => tag !== '')
      .slice(0, 20),
  }
}

const MOST_NODES = 500
const MOST_OUTPUTS = 50

export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as unknown[]) : []

function readNode(source: Plain): Node {
  const position = listOf(source['position'])
  return {
    name: textOf(source['name']).slice(0, 200),
    type: textOf(source['type']).slice(0, 200),
    version: typeof source['typeVersion'] === 'number' ? source['typeVersion'] : 1,
    parameters: childOf(source, 'parameters'),
    disabled: source['disabled'] === true,
    notes: textOf(source['notes']).slice(0, 2_000),
    credentials: Object.entries(childOf(source, 'credentials')).map(([type, one]) =>
      (isRecord(one) ? textOf(one['name']) || type : textOf(one) || type).slice(0, 100),
    ),
    retry: readRetry(source),
    onError: readOnError(source),
    executeOnce: source['executeOnce'] === true,
    alwaysOutputData: source['alwaysOutputData'] === true,
    place: [Number(position[1]) || 0, Number(position[0]) || 0],
  }
}

/** n8n makes two to five attempts, three by default, and waits at most five seconds between them. */
function readRetry(source: Plain): Node['retry'] {
  if (source['retryOnFail'] !== true) return null
  const attempts = Math.min(5, Math.max(2, Math.trunc(Number(source['maxTries'] ?? 3)) || 3))
  const wait = Math.min(5_000, Math.max(0, Number(source['waitBetweenTries'] ?? 1_000) || 1_000))
  return { attempts, wait_seconds: wait / 1_000 }
}

function readOnError(source: Plain): Node['onError'] {
  if (source['onError'] === 'continueErrorOutput') return 'error_output'
  const goesOn = source['onError'] === 'continueRegularOutput' || source['continueOnFail'] === true
  return goesOn ? 'continue' : 'stop'
}

function readOutputs(
  connections: Plain,
  nodes: ReadonlyMap<string, Node>,
  byPlace: boolean,
): Workflow['outputs'] {
  const outputs = new Map<string, (readonly Target[])[]>()
  for (const [name, ways] of Object.entries(connections)) {
    if (!nodes.has(name) || !isRecord(ways)) continue
    const main = listOf(ways['main']).slice(0, MOST_OUTPUTS)
    outputs.set(
      name,
      main.map((targets) => {
        const read = targetsOf(targets, nodes)
        return byPlace ? read.toSorted((a, b) => comparePlaces(nodes, a, b)) : read
      }),
    )
  }
  return outputs
}

function comparePlaces(nodes: ReadonlyMap<string, Node>, a: Target, b: Target): number {
  const [ya, xa] = nodes.get(a.node)?.place ?? [0, 0]
  const [yb, xb] = nodes.get(b.node)?.place ?? [0, 0]
  return ya - yb || xa - xb
}

function targetsOf(value: unknown, nodes: ReadonlyMap<string, Node>): Target[] {
  return listOf(value)
    .filter(isRecord)
    .map((one) => ({
      node: textOf(one['node']).slice(0, 200),
      input: Math.trunc(Number(one['index'] ?? 0)) || 0,
    }))
    .filter(({ node, input }) => nodes.has(node) && input >= 0 && input < MOST_OUTPUTS)
    .slice(0, MOST_NODES)
}

function readAttached(connections: Plain, nodes: ReadonlyMap<string, Node>): Workflow['attached'] {
  const attached = new Map<string, Node[]>()
  for (const [name, ways] of Object.entries(connections)) {
    const node = nodes.get(name)
    if (node === undefined || !isRecord(ways)) continue
    for (const [kind, outputs] of Object.entries(ways)) {
      if (kind === 'main') continue
      for (const target of listOf(outputs).flatMap((one) => targetsOf(one, nodes))) {
        const known = attached.get(target.node) ?? []
        if (!known.includes(node)) attached.set(target.node, [...known, node])
      }
    }
  }
  return attached
}
