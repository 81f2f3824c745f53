/** A workflow's graph as a nested list of steps. */
import type { StepInput } from '../../../../shared/contract/steps.ts'
import { type Plain, textOf } from '../plain.ts'
import { type Arrival, combined, combinedSources, joined } from './source/arrivals.ts'
import type { Names } from './expression/names.ts'
import { type Graph, readGraph } from './source/graph.ts'
import type { Converted, NodeContext, NodeType } from './nodes/node-context.ts'
import { nodeTypeOf } from './nodes/index.ts'
import { createNotes, type ImportNote } from './source/notes.ts'
import { createParameterReaders } from './nodes/parameters.ts'
import { createScripts } from './nodes/scripts.ts'
import { createRefNames } from './source/ref-names.ts'
import { manyItems, oneItem, type Source } from './source/values.ts'
import { keptStep } from './source/unknown-node.ts'
import type { Node, Target, Workflow } from './source/workflow.ts'

export interface ConvertedFlow {
  readonly steps: readonly StepInput[]
  readonly notes: readonly ImportNote[]
  /** Env variables that its templates read. */
  readonly variables: readonly string[]
  /** What came last, for a webhook that answers with it. */
  readonly last: Source | null
  /** Nodes that are part of it. */
  readonly nodes: ReadonlySet<string>
}

/** Everything behind one start. */
export function convertFrom(workflow: Workflow, start: string): ConvertedFlow {
  return new Conversion(workflow, start).convert()
}

interface ConversionScope {
  readonly known: ReadonlyMap<string, Source | null>
  readonly inLoop: boolean
  /** Nodes at which the list ends, because they stand further out. */
  readonly stops: ReadonlySet<string>
  /** Inside a loop that is there for the items: nodes that look at all of them stand behind it. */
  readonly perItem: boolean
  readonly depth: number
}

interface List {
  readonly steps: readonly StepInput[]
  /** What came to the nodes at which it ended. */
  readonly ends: readonly Arrival[]
  readonly known: ReadonlyMap<string, Source | null>
  readonly last: Source | null
}

const MOST_STEPS = 1_000
const DEEPEST = 30

class Conversion {
  readonly #workflow: Workflow
  readonly #graph: Graph
  readonly #start: string
  readonly #notes = createNotes()
  readonly #newRef = createRefNames()
  readonly #variables = new Set<string>()
  readonly #nodes = new Set<string>()
  #steps = 0
  #isFull = false

  constructor(workflow: Workflow, start: string) {
    this.#workflow = workflow
    this.#start = start
    this.#graph = readGraph(workflow, start)
  }

  convert(): ConvertedFlow {
    for (const { from, to } of this.#graph.back) {
      if (this.#typeOf(to)?.convert !== nodeTypeOf(loopNode)?.convert)
        this.#note(
          null,
          from,
          null,
          `went back to "${to}"; make a loop of it (loop_while) where it is to go on as before`,
        )
    }
    const scope: ConversionScope = {
      known: new Map(),
      inLoop: false,
      stops: new Set(),
      perItem: false,
      depth: 0,
    }
    const { steps, last } = this.#list([{ node: this.#start, input: 0, source: null }], scope)
    return { steps, notes: this.#notes.all, variables: [...this.#variables], last, nodes: this.#nodes }
  }

  #typeOf(name: string): NodeType | null {
    const node = this.#workflow.nodes.get(name)
    return node ? nodeTypeOf(node) : null
  }

  #isMerge(name: string): boolean {
    return this.#typeOf(name)?.isMerge === true
  }

  /** Nodes one after the other, until all ways have ended. */
  #list(starts: readonly Arrival[], scope: ConversionScope): List {
    const steps: StepInput[] = []
    const ends: Arrival[] = []
    const waiting = new Map<string, Arrival[]>()
    let known = scope.known
    let last: Source | null = null
    let queue = [...starts]
    while (queue.length > 0 || waiting.size > 0) {
      const arrival = queue.shift() ?? this.#nextMerge(waiting)
      const { node } = arrival
      if (scope.stops.has(node) || (scope.perItem && this.#looksAtAll(node))) {
        ends.push(arrival)
        continue
      }
      if (this.#isMerge(node) && queue.length > 0 && !waiting.get(node)?.includes(arrival)) {
        waiting.set(node, [...(waiting.get(node) ?? []), arrival])
        continue
      }
      const inputs = [...(waiting.get(node) ?? []).filter((one) => one !== arrival), arrival]
      waiting.delete(node)
      const done = this.#node(node, inputs, { ...scope, known })
      steps.push(...done.steps)
      known = done.known
      last = done.last ?? last
      // What goes on here comes next; a merge that other ways still lead to waits for them.
      queue = [...done.next, ...queue]
      ends.push(...done.ends)
    }
    return { steps, ends, known, last }
  }

  /** Of merges to which nothing more comes the one that stands first. */
  #nextMerge(waiting: Map<string, Arrival[]>): Arrival {
    const [first] = [...waiting.keys()].toSorted((a, b) => this.#graph.order(a) - this.#graph.order(b))
    const arrivals = waiting.get(first ?? '') ?? []
    return arrivals.at(-1) as Arrival
  }

  #looksAtAll(name: string): boolean {
    const type = this.#typeOf(name)
    return type !== null && type.runs === 'all'
  }

  #node(
    name: string,
    arrivals: readonly Arrival[],
    scope: ConversionScope,
  ): List & { readonly next: readonly Arrival[] } {
    const node = this.#workflow.nodes.get(name)
    const nothing = { steps: [], ends: [], known: scope.known, last: null, next: [] }
    if (node === undefined || this.#isFull) return nothing
    if (this.#steps >= MOST_STEPS || scope.depth > DEEPEST) {
      this.#isFull = true
      this.#note(
        null,
        name,
        null,
        `and what comes after it were left out: more than ${MOST_STEPS} steps would be made`,
      )
      return nothing
    }
    this.#nodes.add(name)
    const source = combined(arrivals)
    const type = nodeTypeOf(node)
    if (source?.items === 'many' && type?.runs === 'each') return this.#overItems(arrivals, source, scope)
    if (source?.items === 'maybe' && (type === null || type.runs === 'each')) this.#sayMaybe(node, source)
    const ref = this.#newRef(name)
    const context = this.#context(node, ref, source, arrivals, scope)
    const converted = type === null ? this.#unknown(context) : this.#finish(type.convert(context), context)
    if (converted.kind === 'loop') return this.#loop(converted, context, scope)
    if (converted.kind === 'branches') return this.#branches(converted, context, scope)
    return this.#plain(converted, context, scope)
  }

  #finish(converted: Converted, context: NodeContext): Converted {
    const { node, source } = context
    if (converted.kind === 'branches')
      return {
        ...converted,
        build: (branch) => {
          const steps = converted.build(branch)
          return [...this.#calculated(context), ...steps]
        },
      }
    if (converted.kind === 'loop') return converted
    const own = converted.steps.map((step) => dressed(step, node))
    const steps = [...this.#calculated(context), ...own]
    return { kind: 'steps', steps, gives: node.disabled ? source : converted.gives }
  }

  /** The step that calculates what the node's own step reads, where there is something. */
  #calculated({ node, scripts }: NodeContext): StepInput[] {
    const step = scripts.step()
    if (step === null) return []
    this.#note(
      step.ref_id,
      node.name,
      null,
      `has JavaScript that no template says; the code step "${step.ref_id}" calculates it`,
    )
    return [
      {
        ...dressed(step, { ...node, retry: null, notes: '' }),
        title: `${node.name}: JavaScript`.slice(0, 200),
      },
    ]
  }

  #plain(
    converted: Extract<Converted, { kind: 'steps' }>,
    { node, ref }: NodeContext,
    scope: ConversionScope,
  ): List & { readonly next: readonly Arrival[] } {
    const { steps, gives } = converted
    this.#steps += steps.length
    const known = new Map(scope.known).set(node.name, gives)
    const [targets = [], failed = []] = this.#graph.outputsOf(node.name)
    const next = targets.map((target): Arrival => ({ ...target, source: gives }))
    if (node.onError !== 'error_output' || failed.length === 0)
      return { steps, ends: [], known, last: gives, next }
    return this.#errorOutput(steps, { node, ref, gives }, [targets, failed], { ...scope, known })
  }

  /** A way of its own for failures: what the step gives then has "error". */
  #errorOutput(
    steps: readonly StepInput[],
    { node, ref, gives }: { readonly node: Node; readonly ref: string; readonly gives: Source | null },
    ways: readonly (readonly Target[])[],
    scope: ConversionScope,
  ) {
    const refId = this.#newRef(`${ref}_failed`)
    const failure: Source = { ...oneItem(ref), fields: { error: `${ref}.error` } }
    const branches: Extract<Converted, { kind: 'branches' }> = {
      kind: 'branches',
      outputs: 2,
      gives: null,
      build: (branch) => [
        {
          ref_id: refId,
          type: 'condition',
          title: `${node.name} failed`.slice(0, 200),
          config: { when: `${ref}.error is defined` },
          then: [...branch(1)],
          else: [...branch(0)],
        },
      ],
    }
    const done = this.#ways(branches, node.name, ways, [gives, failure], scope)
    return { ...done, steps: [...steps, ...done.steps] }
  }

  #branches(
    converted: Extract<Converted, { kind: 'branches' }>,
    { node }: NodeContext,
    scope: ConversionScope,
  ): List & { readonly next: readonly Arrival[] } {
    const outputs = this.#graph.outputsOf(node.name)
    const ways = Array.from({ length: converted.outputs }, (_, at) => outputs[at] ?? [])
    if (outputs.length > converted.outputs) {
      const lost = outputs
        .slice(converted.outputs)
        .flat()
        .map((target) => `"${target.node}"`)
      if (lost.length > 0) this.#note(null, node.name, null, `never leads to ${lost.join(', ')}`)
    }
    const known = new Map(scope.known).set(node.name, converted.gives)
    const complete: typeof converted = {
      ...converted,
      build: (branch) =>
        converted
          .build(branch)
          .map((step) => (step.title === undefined ? dressed(step, { ...node, onError: 'stop' }) : step)),
    }
    return this.#ways(
      complete,
      node.name,
      ways,
      ways.map(() => converted.gives),
      { ...scope, known },
    )
  }

  /** The lists behind each output, and what comes where they meet again. */
  #ways(
    converted: Extract<Converted, { kind: 'branches' }>,
    name: string,
    ways: readonly (readonly Target[])[],
    sources: readonly (Source | null)[],
    scope: ConversionScope,
  ): List & { readonly next: readonly Arrival[] } {
    const used =
      converted.used === undefined ? ways : [...new Set(converted.used)].map((at) => ways[at] ?? [])
    const join = this.#graph.joinOf(converted.mayEnd ? [...used, []] : used)
    const inner = this.#graph.reach(name)
    const shared = [...inner].filter(
      (node) => this.#isMerge(node) && [...this.#graph.before(node)].some((before) => !inner.has(before)),
    )
    const stops = new Set([...scope.stops, ...shared, ...(join === null ? [] : [join])])
    const lists = new Map<number, List>()
    const steps = converted.build((output) => {
      const targets = ways[output] ?? []
      const arrivals = targets.map((target): Arrival => ({ ...target, source: sources[output] ?? null }))
      const list = this.#list(arrivals, { ...scope, stops, depth: scope.depth + 1 })
      // A way that is used for two cases is written twice, and ends once.
      if (!lists.has(output)) lists.set(output, list)
      return list.steps
    })
    this.#steps += steps.length
    const arrived = [...lists.values()].flatMap(({ ends }) => ends)
    const nodes = [...new Set(arrived.map(({ node }) => node))]
    const known = new Map(scope.known)
    // Of what ran on one way only nobody can be sure behind it; its name still reads it.
    for (const list of lists.values()) for (const [node, held] of list.known) known.set(node, held)
    const met = nodes.flatMap((node) => joined(arrived.filter((one) => one.node === node)))
    const goOn = met.filter(({ node }) => node === join || !scope.stops.has(node))
    const last = combinedSources([...lists.values()].map((list) => list.last))
    return { steps, ends: met.filter((one) => !goOn.includes(one)), known, last, next: goOn }
  }

  /** "Loop over items". */
  #loop(
    { over, each, done }: Extract<Converted, { kind: 'loop' }>,
    { node, ref }: NodeContext,
    scope: ConversionScope,
  ): List & { readonly next: readonly Arrival[] } {
    const outputs = this.#graph.outputsOf(node.name)
    const item: Source = { whole: 'item', items: 'one', all: over }
    const arrivals = (outputs[each] ?? []).map((target): Arrival => ({ ...target, source: item }))
    const inner = this.#list(arrivals, {
      known: new Map([...scope.known, [node.name, item]]),
      inLoop: true,
      stops: new Set([...scope.stops, ...(outputs[done] ?? []).map((target) => target.node)]),
      perItem: false,
      depth: scope.depth + 1,
    })
    this.#steps++
    const loop = dressed(
      { ref_id: ref, type: 'loop', config: { over: `{{ ${over} }}` }, steps: [...inner.steps] },
      node,
    )
    const known = new Map([...afterLoop(inner.known, scope.known), [node.name, manyItems(ref)]])
    const next = (outputs[done] ?? []).map((target): Arrival => ({ ...target, source: manyItems(ref) }))
    return { steps: [loop], ends: [], known, last: manyItems(ref), next }
  }

  /** n8n runs each node for each item; here a loop goes over the items, with the nodes inside. */
  #overItems(
    arrivals: readonly Arrival[],
    source: Source,
    scope: ConversionScope,
  ): List & { readonly next: readonly Arrival[] } {
    const [arrival] = arrivals
    const name = arrival?.node ?? ''
    const ref = this.#newRef(`each_${name}`)
    const item: Source = { whole: 'item', items: 'one', all: source.whole }
    const givers = [...scope.known].filter(([, held]) => held?.whole === source.whole).map(([node]) => node)
    const inner = this.#list([{ node: name, input: arrival?.input ?? 0, source: item }], {
      known: new Map([...scope.known, ...givers.map((node) => [node, item] as const)]),
      inLoop: true,
      stops: scope.stops,
      perItem: true,
      depth: scope.depth + 1,
    })
    this.#steps++
    const nodes = [...new Set(inner.ends.map((end) => end.node))]
    const met = nodes.flatMap((node) => joined(inner.ends.filter((end) => end.node === node)))
    const [first] = met
    const collected = first?.source?.whole ?? null
    for (const other of met.slice(1)) {
      if (other.source?.whole !== collected)
        this.#note(
          ref,
          other.node,
          null,
          'gets the same list as the first node behind the loop; look at what it needs',
        )
    }
    this.#note(ref, name, null, 'and what follows ran once for each item, so they stand in a loop')
    const loop: StepInput = {
      ref_id: ref,
      type: 'loop',
      title: `For each: ${name}`.slice(0, 200),
      config: {
        over: `{{ ${source.whole} }}`,
        ...(collected === null || collected === 'item' ? {} : { collect: `{{ ${collected} }}` }),
      },
      steps: [...inner.steps],
    }
    const gives = manyItems(collected === 'item' ? source.whole : ref)
    const next = met.map((end): Arrival => ({ ...end, source: gives }))
    return {
      steps: [loop],
      ends: next.filter(({ node }) => scope.stops.has(node) || scope.perItem),
      known: afterLoop(inner.known, scope.known),
      last: gives,
      next: next.filter(({ node }) => !scope.stops.has(node) && !scope.perItem),
    }
  }

  #sayMaybe(node: Node, { whole }: Source): void {
    this.#note(
      null,
      node.name,
      null,
      `runs once here; n8n runs it once for each entry where {{ ${whole} }} is a list: put it into a loop over that then`,
    )
  }

  #unknown({ node, ref, source, note }: NodeContext): Converted {
    note(
      null,
      `is of n8n's type "${node.type}", for which there is no step here; its parameters are kept, put another step in its place`,
    )
    const attached = this.#workflow.attached.get(node.name) ?? []
    for (const one of attached) this.#nodes.add(one.name)
    if (this.#graph.outputsOf(node.name).filter((targets) => targets.length > 0).length > 1)
      note(null, 'has several ways behind it; all of them stand one after the other here')
    return {
      kind: 'steps',
      steps: [dressed(keptStep(node, ref, attached), node)],
      gives: source === null || !node.disabled ? oneItem(ref) : source,
    }
  }

  #context(
    node: Node,
    ref: string,
    source: Source | null,
    arrivals: readonly Arrival[],
    scope: ConversionScope,
  ): NodeContext {
    const note = (field: string | null, message: string) => this.#note(ref, node.name, field, message)
    const names: Names = {
      current: source,
      node: (name) => scope.known.get(name) ?? null,
      inLoop: scope.inLoop,
      workflow: this.#workflow.name,
      timezone: timezoneOf(this.#workflow.settings),
      env: (name) => void this.#variables.add(name),
    }
    const inputs = new Map<number, Source>()
    for (const one of arrivals)
      if (one.source !== null && !inputs.has(one.input)) inputs.set(one.input, one.source)
    const scripts = createScripts({ source, known: scope.known, newRef: () => this.#newRef(`${ref}_js`) })
    return {
      node,
      ref,
      source,
      inputs,
      scripts,
      names,
      known: scope.known,
      timezone: names.timezone,
      note,
      ...createParameterReaders(names, note, scripts),
      newRef: this.#newRef,
    }
  }

  #note(ref: string | null, node: string, field: string | null, message: string): void {
    this.#notes.add({ ref_id: ref, node, field, message })
  }
}

const loopNode = { type: 'n8n-nodes-base.splitInBatches', parameters: {} } as Node

/** What a node has beside its parameters. */
function dressed(step: StepInput, node: Node): StepInput {
  return {
    ...step,
    title: node.name.slice(0, 200),
    ...(node.notes === '' ? {} : { description: node.notes }),
    ...(node.disabled ? { disabled: true } : {}),
    ...(node.retry === null ? {} : { retry: node.retry }),
    ...(node.onError === 'stop' ? {} : { on_error: 'continue' as const }),
  }
}

function timezoneOf(settings: Plain): string | null {
  const zone = textOf(settings['timezone'])
  return zone === '' || zone === 'DEFAULT' || zone.length > 60 ? null : zone
}

/** What ran inside a loop is not there for nodes behind it, one by one. */
function afterLoop(
  inner: ReadonlyMap<string, Source | null>,
  outer: ReadonlyMap<string, Source | null>,
): Map<string, Source | null> {
  const known = new Map(outer)
  for (const node of inner.keys()) if (!outer.has(node)) known.set(node, null)
  return known
}
