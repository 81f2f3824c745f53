/** Converts a workflow's graph to a nested list of steps. */
import { type Said, say } from '@millrace/jinja/said'
import type { Step } from './source/steps.ts'
import { type Arrival, combined, combinedSources, grouped } from './source/arrivals.ts'
import { type Graph, readGraph, returnTo } from './source/graph.ts'
import type { Converted, NodeContext, NodeType } from './nodes/node-context.ts'
import { nodeTypeOf } from './nodes/index.ts'
import { createContext, type Surroundings, timezoneOf } from './nodes/create-context.ts'
import { lastOf, type Marker, markBranch } from './source/branches.ts'
import { afterLoop, collected, comesBack, type HeldItem, holdItem } from './source/loops.ts'
import { createNotes, type ImportNote } from './source/notes.ts'
import { createRefNames } from './source/ref-names.ts'
import { dressed, gaveOrFailed, refsIn } from './source/steps.ts'
import { Untranslatable } from './source/untranslatable.ts'
import { asJsList, asList, firstOf, manyItems, oneItem, type Source } from './source/values.ts'
import { keptStep } from './source/unknown-node.ts'
import type { Node, Target, Workflow } from './source/workflow.ts'

export interface ConvertedFlow {
  readonly steps: readonly Step[]
  readonly notes: readonly ImportNote[]
  /** Millrace's variables that its templates read. */
  readonly variables: readonly string[]
  /** The last result, for a webhook that responds with it. */
  readonly last: Source | null
  readonly nodes: ReadonlySet<string>
}

/** Converts everything after one start node. */
export function convertFrom(
  workflow: Workflow,
  start: string,
  reservedNames: readonly string[],
): ConvertedFlow {
  return new Conversion(workflow, start, reservedNames).convert()
}

interface Scope extends Surroundings {
  /** Nodes at which the list ends, because they belong to an outer list. */
  readonly stops: ReadonlySet<string>
  /**
   * Whether this is inside a loop that was added to iterate over the items. Nodes that process all items
   * together come after it.
   */
  readonly perItem: boolean
  readonly inLoop: boolean
  readonly depth: number
}

interface List {
  readonly steps: readonly Step[]
  /** The results that arrived at the nodes at which the list ended. */
  readonly ends: readonly Arrival[]
  readonly known: ReadonlyMap<string, Source | null>
  readonly last: Source | null
}

/** The conversion of one node, and what follows it. */
interface Done extends List {
  readonly next: readonly Arrival[]
  /** Whether the limit was exceeded, so that the step represents everything that is left out. */
  readonly isCut?: boolean
}

const MOST_STEPS = 1_000
/** If branches split and join repeatedly, n8n too runs the nodes after them once for each branch. */
const MOST_VISITS = 5_000
const DEEPEST = 30

class Conversion {
  readonly #workflow: Workflow
  readonly #graph: Graph
  readonly #start: string
  readonly #notes = createNotes()
  readonly #newRef: (name: string) => string
  readonly #variables = new Set<string>()
  readonly #nodes = new Set<string>()
  readonly #lead = new Map<string, boolean>()
  #steps = 0
  #visits = 0

  constructor(workflow: Workflow, start: string, reservedNames: readonly string[]) {
    this.#workflow = workflow
    this.#start = start
    this.#graph = readGraph(workflow, start)
    this.#newRef = createRefNames(reservedNames)
  }

  convert(): ConvertedFlow {
    const scope: Scope = {
      known: new Map(),
      itemIndex: '0',
      stops: new Set(),
      perItem: false,
      inLoop: false,
      depth: 0,
    }
    const { steps, last } = this.#list([{ node: this.#start, input: 0, source: null }], scope)
    if (
      timezoneOf(this.#workflow.settings) === null &&
      /timezone='UTC'|\$zone_name/.test(JSON.stringify(steps))
    )
      this.#note(
        null,
        this.#start,
        null,
        say`has no time zone in its workflow, so its times are in UTC here; in n8n they are in the server's time zone`,
      )
    for (const { from, to } of this.#graph.back)
      this.#note(null, from, null, say`led back to "${to}"; here it doesn't`)
    return { steps, notes: this.#notes.all, variables: [...this.#variables], last, nodes: this.#nodes }
  }

  #typeOf(name: string): NodeType | null {
    const node = this.#workflow.nodes.get(name)
    return node ? nodeTypeOf(node) : null
  }

  #isMerge(name: string): boolean {
    return this.#typeOf(name)?.isMerge === true
  }

  /** Converts nodes one after the other until all branches have ended. */
  #list(starts: readonly Arrival[], scope: Scope): List {
    const steps: Step[] = []
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
      ends.push(...done.ends)
      if (done.isCut) break
      // The next nodes of this branch come first. A merge that other branches still lead to waits for them.
      queue = [...done.next, ...queue]
    }
    return { steps, ends, known, last }
  }

  #isFull(): boolean {
    return this.#steps >= MOST_STEPS || this.#visits >= MOST_VISITS
  }

  /** The first merge in the graph among those that nothing else can reach. */
  #nextMerge(waiting: Map<string, Arrival[]>): Arrival {
    const [first] = [...waiting.keys()].toSorted((a, b) => this.#graph.order(a) - this.#graph.order(b))
    const arrivals = waiting.get(first ?? '') ?? []
    return arrivals.at(-1) as Arrival
  }

  #looksAtAll(name: string): boolean {
    const type = this.#typeOf(name)
    return type?.runs === 'all' || this.#workflow.nodes.get(name)?.executeOnce === true
  }

  /** Whether this node or any after it becomes a step. */
  #leadsToSteps(name: string): boolean {
    const known = this.#lead.get(name)
    if (known !== undefined) return known
    const leads = [...this.#graph.reach(name)].some((one) => this.#typeOf(one)?.runs !== 'pass')
    this.#lead.set(name, leads)
    return leads
  }

  #node(name: string, arrivals: readonly Arrival[], scope: Scope): Done {
    const node = this.#workflow.nodes.get(name)
    const nothing = { steps: [], ends: [], known: scope.known, last: null, next: [] }
    if (node === undefined) return nothing
    this.#nodes.add(name)
    if (!this.#leadsToSteps(name)) {
      for (const one of this.#graph.reach(name)) this.#nodes.add(one)
      return { ...nothing, last: combined(arrivals) }
    }
    this.#visits++
    if (this.#isFull() || scope.depth > DEEPEST)
      return { ...this.#kept(node, scope, TOO_MUCH), next: [], isCut: true }
    const type = nodeTypeOf(node)
    const source = type?.isMerge === true ? (arrivals[0]?.source ?? null) : combined(arrivals)
    if (node.disabled) return this.#disabled(node, type, source, arrivals, scope)
    if (type === null && source?.items === 'many' && !node.executeOnce) return this.#kept(node, scope, null)
    if (node.executeOnce && source?.items === 'many') return this.#once(node, type, source, arrivals, scope)
    if (source?.items === 'many' && type?.runs === 'each') return this.#overItems(arrivals, source, scope)
    return this.#convert(node, type, source, arrivals, scope)
  }

  #convert(
    node: Node,
    type: NodeType | null,
    source: Source | null,
    arrivals: readonly Arrival[],
    scope: Scope,
  ): Done {
    if (type === null) return this.#kept(node, scope, null)
    if (grouped(arrivals).some((group) => group.length > 1))
      return this.#kept(node, scope, say`has several connections to one of its inputs`)
    const context = this.#context(node, source, arrivals, scope)
    try {
      const converted = this.#withScripts(type.convert(context), context)
      if (converted.kind === 'loop') return this.#loop(converted, context, scope)
      const whole =
        type.gathers === true && source?.items === 'many' ? this.#ifAny(converted, context) : converted
      return whole.kind === 'branches'
        ? this.#branches(whole, context, scope)
        : this.#plain(whole, context, scope)
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error
      return this.#kept(node, scope, error.said, context.ref)
    }
  }

  /** Uses only the first item, if there is one. */
  #once(node: Node, type: NodeType | null, source: Source, arrivals: readonly Arrival[], scope: Scope): Done {
    const first = firstOf(source)
    if (type === null) return this.#kept(node, scope, null)
    const given =
      type.runs === 'all'
        ? { ...first, whole: `[${first.whole}]`, js: `[${first.js}]`, items: 'many' as const }
        : first
    const context = this.#context(node, given, arrivals, { ...scope, itemIndex: '0' })
    try {
      const converted = this.#withScripts(type.convert(context), context)
      if (converted.kind === 'loop')
        return this.#kept(node, scope, say`is a loop that runs once`, context.ref)
      const guarded = this.#ifAny(converted, { ...context, source })
      return guarded.kind === 'branches'
        ? this.#branches(guarded, context, scope)
        : this.#kept(node, scope, null, context.ref)
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error
      return this.#kept(node, scope, error.said, context.ref)
    }
  }

  /** n8n skips a node that gets no item, and everything after it. */
  #ifAny(
    converted: Exclude<Converted, { kind: 'loop' }>,
    { node, newRef, ref, source }: NodeContext,
  ): Exclude<Converted, { kind: 'loop' }> {
    if (source === null) return converted
    if (node.onError === 'error_output')
      throw new Untranslatable(say`has an error output and may get no items`)
    const any = newRef(`${ref}_any`)
    const condition = (then: readonly Step[]): Step => ({
      ref_id: any,
      type: 'condition',
      title: `Any items for ${node.name}?`.slice(0, 200),
      config: { when: `(${asList(source)}) | length > 0` },
      then: [...then],
      else: [],
    })
    if (converted.kind === 'branches')
      return { ...converted, mayEnd: true, build: (branch) => [condition(converted.build(branch))] }
    return {
      kind: 'branches',
      outputs: 1,
      mayEnd: true,
      gives: this.#afterFailure(converted, node).gives,
      build: (branch) => [condition([...converted.steps, ...branch(0)])],
    }
  }

  /** Adds the step that computes values for the node's own step, and the node's general settings. */
  #withScripts(converted: Converted, { node, scripts }: NodeContext): Converted {
    if (converted.kind === 'loop') return converted
    const before = scripts.steps().map((step) => calculating(step, node))
    if (converted.kind === 'branches')
      return {
        ...converted,
        build: (branch) => {
          const own = converted.build(branch)
          return [
            ...before,
            ...own.map((one) => (one.title === undefined ? dressed(one, { ...node, onError: 'stop' }) : one)),
          ]
        },
      }
    return { ...converted, steps: [...before, ...converted.steps.map((one) => dressed(one, node))] }
  }

  #afterFailure(converted: Extract<Converted, { kind: 'steps' }>, node: Node) {
    const { steps, gives } = converted
    const last = steps.at(-1)?.ref_id
    const goesOn = node.onError === 'continue' && last !== undefined && gives !== null
    if (goesOn)
      this.#note(
        last,
        node.name,
        null,
        say`continues after a failure; its item is then {"error": message}, without the input`,
      )
    return { steps, gives: goesOn ? gaveOrFailed(gives, last) : gives }
  }

  #plain(
    converted: Extract<Converted, { kind: 'steps' }>,
    { node, ref, source }: NodeContext,
    scope: Scope,
  ): Done {
    const { steps, gives: given } = this.#afterFailure(converted, node)
    const gives = this.#inLoop(this.#notEmpty(given, node, scope), scope)
    this.#steps += steps.length
    const known = new Map(scope.known).set(node.name, gives)
    const [targets = [], failed = [], ...others] = this.#graph.outputsOf(node.name)
    const next = targets.map((target): Arrival => ({ ...target, source: gives }))
    if (node.onError === 'error_output' && failed.length > 0)
      return this.#errorOutput(steps, { node, ref, source, gives }, [targets, failed], { ...scope, known })
    const lost = [failed, ...others].flat()
    if (lost.length > 0 && node.onError !== 'error_output')
      this.#note(ref, node.name, null, say`never leads to ${namesOf(lost)}`)
    return { steps, ends: [], known, last: gives, next }
  }

  /** Replaces an empty result with one empty item. */
  #notEmpty(gives: Source | null, { alwaysOutputData: always }: Node, { perItem }: Scope): Source | null {
    if (!always || gives?.items !== 'many') return gives
    if (perItem) throw new Untranslatable(say`outputs an empty item if it would output none`)
    return {
      ...gives,
      whole: `(${gives.whole} or [{}])`,
      js: `((list) => (list.length > 0 ? list : [{}]))(${gives.js})`,
    }
  }

  /** In a loop over items, only the result of the current item is available. */
  #inLoop(gives: Source | null, { perItem }: Scope): Source | null {
    return gives !== null && perItem && gives.all === undefined ? { ...gives, all: null } : gives
  }

  /** A branch for failures: its item is the input plus "error". */
  #errorOutput(
    steps: readonly Step[],
    {
      node,
      ref,
      source,
      gives,
    }: Pick<NodeContext, 'node' | 'ref' | 'source'> & { readonly gives: Source | null },
    ways: readonly (readonly Target[])[],
    scope: Scope,
  ): Done {
    const last = steps.at(-1)?.ref_id ?? ref
    const refId = this.#newRef(`${ref}_failed`)
    const before = source === null || source.items === 'many' ? null : source
    const failure: Source = {
      ...oneItem(last),
      whole: `dict(${before?.whole ?? '{}'}, error=${last}.error.message)`,
      js: `{ ...${before?.js ?? '{}'}, error: input.${last}.error.message }`,
      ...(scope.perItem ? { all: null } : {}),
    }
    const branches: Extract<Converted, { kind: 'branches' }> = {
      kind: 'branches',
      outputs: 2,
      gives: null,
      build: (branch) => [
        {
          ref_id: refId,
          type: 'condition',
          title: `${node.name} failed`.slice(0, 200),
          config: { when: `$.${last}.error.code is defined and $.${last}.error.message is defined` },
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
    { node }: Pick<NodeContext, 'node'>,
    scope: Scope,
  ): Done {
    const outputs = this.#graph.outputsOf(node.name)
    const ways = Array.from({ length: converted.outputs }, (_, at) => outputs[at] ?? [])
    const lost = outputs.slice(converted.outputs).flat()
    if (lost.length > 0) this.#note(null, node.name, null, say`never leads to ${namesOf(lost)}`)
    const gives = this.#inLoop(this.#notEmpty(converted.gives, node, scope), scope)
    const known = new Map(scope.known).set(node.name, gives)
    return this.#ways(
      converted,
      node.name,
      ways,
      ways.map(() => gives),
      { ...scope, known },
    )
  }

  /** Converts the lists after each output, and the data that arrives where they join. */
  #ways(
    converted: Extract<Converted, { kind: 'branches' }>,
    name: string,
    ways: readonly (readonly Target[])[],
    sources: readonly (Source | null)[],
    scope: Scope,
  ): Done {
    const used = converted.used ?? [...ways.keys()]
    const join = this.#graph.joinOf([...used.map((at) => ways[at] ?? []), ...(converted.mayEnd ? [[]] : [])])
    const inner = this.#graph.reach(name)
    const shared = [...inner].filter(
      (node) => this.#isMerge(node) && [...this.#graph.before(node)].some((before) => !inner.has(before)),
    )
    const stops = new Set([...scope.stops, ...shared, ...(join === null ? [] : [join])])
    const lists = new Map(
      used.map((output) => {
        const source = sources[output] ?? null
        const arrivals = (ways[output] ?? []).map((target): Arrival => ({ ...target, source }))
        return [output, this.#list(arrivals, { ...scope, stops, depth: scope.depth + 1 })] as const
      }),
    )
    const markers = new Map<number, Step[]>(used.map((output) => [output, []]))
    const met = this.#meetings([...lists], used, converted.mayEnd === true, markers)
    const steps = converted.build((output) => [
      ...(lists.get(output)?.steps ?? []),
      ...(markers.get(output) ?? []),
    ])
    this.#steps += steps.length
    const known = new Map(scope.known)
    // After the join, the results of nodes that only ran in one branch aren't certain.
    for (const list of lists.values())
      for (const [node, held] of list.known)
        if (!scope.known.has(node)) known.set(node, held === null ? null : { ...held, mayMiss: true })
    const goOn = met.filter(({ node }) => node === join || !scope.stops.has(node))
    const last = lastOf([...lists.values()])
    return { steps, ends: met.filter((one) => !goOn.includes(one)), known, last, next: goOn }
  }

  /** Collects the data that arrives at each node where branches ended. */
  #meetings(
    lists: readonly (readonly [output: number, List])[],
    used: readonly number[],
    mayEnd: boolean,
    markers: ReadonlyMap<number, Step[]>,
  ): Arrival[] {
    const all = lists.flatMap(([output, { ends }]) => ends.map((arrival) => ({ ...arrival, output })))
    const refs = new Map(lists.map(([output, { steps }]) => [output, refsIn(steps)]))
    return grouped(all).flatMap((group): Arrival[] => {
      const here = group as (Arrival & { readonly output: number })[]
      const [first] = here
      if (first === undefined) return []
      const { node, input } = first
      const isCertain =
        !mayEnd &&
        new Set(used).size === new Set(here.map(({ output }) => output)).size &&
        here.every(({ source }) => source?.mayMiss !== true)
      const wholes = new Set(here.map(({ source }) => source?.whole))
      if (isCertain && wholes.size === 1) return [{ node, input, source: first.source }]
      const own = here.map(({ source, output }): Source | null => {
        if (source === null) return null
        const within = refs.get(output) ?? new Set()
        if (
          source.there !== undefined &&
          source.there.length > 0 &&
          source.there.every((ref) => within.has(ref))
        )
          return source
        const { step, gives } = this.#marker(node, source)
        markers.get(output)?.push(step)
        return gives
      })
      // Two arrivals from the same branch are two runs of the node.
      const isTwice = new Set(here.map(({ output }) => output)).size < here.length
      const sources = isTwice ? own : [combinedSources(own)]
      return sources.map((source) => ({
        node,
        input,
        source: source === null || isCertain ? source : { ...source, mayMiss: true },
      }))
    })
  }

  #marker(node: string, source: Source): Marker {
    const name = node.replaceAll('\u0000', '')
    this.#steps++
    return markBranch(this.#newRef(`to_${name}`), name, source)
  }

  /** Converts n8n's "Loop over items". */
  #loop(
    { over, size, each, done }: Extract<Converted, { kind: 'loop' }>,
    { node, ref }: NodeContext,
    scope: Scope,
  ): Done {
    const outputs = this.#graph.outputsOf(node.name)
    const own = this.#held(scope)
    const item: Source = { whole: 'item', js: 'input.item', items: size === 1 ? 'one' : 'many' }
    const arrivals = (outputs[each] ?? []).map((target): Arrival => ({ ...target, source: item }))
    const back = returnTo(node.name)
    const inner = this.#list(arrivals, {
      known: new Map([...own.known, [node.name, item]]),
      itemIndex: '0',
      inLoop: true,
      stops: new Set([...scope.stops, back, ...(outputs[done] ?? []).map((target) => target.node)]),
      perItem: false,
      depth: scope.depth + 1,
    })
    const returns = grouped(inner.ends.filter((end) => end.node === back)).flat()
    const [only] = returns
    if (only === undefined || returns.length > 1)
      throw new Untranslatable(
        only === undefined
          ? say`is a loop that nothing leads back to`
          : say`is a loop that several nodes lead back to`,
      )
    if (only.source === null) throw new Untranslatable(say`is a loop that gets no items back`)
    const others = inner.ends.filter((end) => end.node !== back)
    if (others.length > 0) throw new Untranslatable(say`is a loop with connections that leave it`)
    const list = asList(over)
    const batches = size === 1 ? list : `${list} | batch(${size}) | list`
    const { collect, gives } = collected([only.source], ref)
    const mayEnd = only.source.mayMiss === true || only.source.items === 'many'
    const check = mayEnd ? [comesBack(this.#newRef(`${ref}_back`), node, only.source)] : []
    this.#steps += 1 + own.steps.length + check.length
    const loop = dressed(
      {
        ref_id: ref,
        type: 'loop',
        config: { over: `{{ ${batches} }}`, collect },
        steps: [...inner.steps, ...check],
      },
      node,
    )
    const result = this.#inLoop(gives[0] ?? null, scope)
    const known = new Map([...afterLoop(inner.known, own.known), [node.name, result]])
    if (mayEnd) {
      const complete = this.#newRef(`${ref}_done`)
      const whole: Extract<Converted, { kind: 'branches' }> = {
        kind: 'branches',
        outputs: done + 1,
        used: [done],
        mayEnd: true,
        gives: result,
        build: (branch) => [
          ...own.steps,
          loop,
          {
            ref_id: complete,
            type: 'condition',
            title: `${node.name} is done`.slice(0, 200),
            config: { when: `(${ref} | length) == (${batches} | length)` },
            then: [...branch(done)],
            else: [],
          },
        ],
      }
      const ways = Array.from({ length: done + 1 }, (_, at) => (at === done ? (outputs[done] ?? []) : []))
      return this.#ways(
        whole,
        node.name,
        ways,
        ways.map(() => result),
        { ...scope, known },
      )
    }
    const next = (outputs[done] ?? []).map((target): Arrival => ({ ...target, source: result }))
    return { steps: [...own.steps, loop], ends: [], known, last: result, next }
  }

  /** n8n runs each node for each item; here a loop iterates over the items and contains the nodes. */
  #overItems(arrivals: readonly Arrival[], source: Source, scope: Scope): Done {
    const [arrival] = arrivals
    const name = arrival?.node ?? ''
    const ref = this.#newRef(`each_${name}`)
    const own = this.#held(scope)
    const isPart = scope.perItem || source.all === null
    const item: Source = {
      whole: 'item',
      js: 'input.item',
      items: 'one',
      all: isPart ? null : { whole: asList(source), js: asJsList(source) },
    }
    const givers = [...own.known].filter(([, held]) => held?.whole === source.whole).map(([node]) => node)
    const inner = this.#list([{ node: name, input: arrival?.input ?? 0, source: item }], {
      known: new Map([...own.known, ...givers.map((node) => [node, item] as const)]),
      itemIndex: isPart ? null : 'index',
      inLoop: true,
      stops: scope.stops,
      perItem: true,
      depth: scope.depth + 1,
    })
    this.#steps += 1 + own.steps.length
    this.#note(
      ref,
      name,
      null,
      say`and the nodes after it run once for each item, so they are in a loop here; n8n runs each node for all items before the next one`,
    )
    const ends = grouped(inner.ends).flatMap((group) => group)
    const sources = ends.map((end) => end.source ?? item)
    const { collect, gives } = collected(sources, ref)
    const loop: Step = {
      ref_id: ref,
      type: 'loop',
      title: `For each: ${name}`.slice(0, 200),
      config: { over: `{{ ${asList(source)} }}`, ...(ends.length === 0 ? {} : { collect }) },
      steps: [...inner.steps],
    }
    const met = ends.map((end, at): Arrival => {
      const isSame = end.source?.whole === 'item' && end.source.mayMiss !== true
      return { ...end, source: this.#inLoop(isSame ? source : (gives[at] ?? null), scope) }
    })
    const staysIn = ({ node }: Arrival) => scope.stops.has(node) || scope.perItem
    return {
      steps: [...own.steps, loop],
      ends: met.filter(staysIn),
      known: afterLoop(inner.known, own.known),
      last: inner.last === null ? null : manyItems(ref),
      next: met.filter((end) => !staysIn(end)),
    }
  }

  #held(scope: Scope): HeldItem {
    return scope.inLoop ? holdItem(scope.known, this.#newRef) : { steps: [], known: scope.known }
  }

  /** Passes on the items of a disabled node. Its step is kept, but disabled. */
  #disabled(
    node: Node,
    type: NodeType | null,
    source: Source | null,
    arrivals: readonly Arrival[],
    scope: Scope,
  ): Done {
    const steps = this.#disabledSteps(node, type, source, arrivals, scope)
    this.#steps += steps.length
    const known = new Map(scope.known).set(node.name, source)
    const [targets = []] = this.#graph.outputsOf(node.name)
    return { steps, ends: [], known, last: source, next: targets.map((target) => ({ ...target, source })) }
  }

  #disabledSteps(
    node: Node,
    type: NodeType | null,
    source: Source | null,
    arrivals: readonly Arrival[],
    scope: Scope,
  ): Step[] {
    const context = this.#context(node, source, arrivals, scope)
    const kept = () => [dressed(keptStep(node, context.ref, this.#attached(node)), node)]
    if (type === null || (type.runs === 'each' && source?.items === 'many')) return kept()
    try {
      const converted = this.#withScripts(type.convert(context), context)
      return converted.kind === 'steps' ? [...converted.steps] : kept()
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error
      return kept()
    }
  }

  #attached(node: Node): readonly Node[] {
    const attached = this.#workflow.attached.get(node.name) ?? []
    for (const one of attached) this.#nodes.add(one.name)
    return attached
  }

  /** Keeps a node that no step can replace. What follows it stays visible, although a run ends here. */
  #kept(node: Node, scope: Scope, why: Said | null, given?: string): Done {
    const ref = given ?? this.#newRef(node.name)
    const about =
      why === null
        ? say`has n8n's type "${node.type}", which has no equivalent step; it is kept unchanged and fails when it runs: replace it with another step`
        : say`can't be converted because it ${why}; it is kept unchanged and fails when it runs: replace it with another step`
    this.#note(ref, node.name, null, about)
    const steps = [
      dressed(keptStep(node, ref, this.#attached(node), why), { ...node, onError: 'stop', retry: null }),
    ]
    this.#steps += steps.length
    const gives = this.#inLoop(oneItem(ref), scope)
    const known = new Map(scope.known).set(node.name, gives)
    const outputs = this.#graph.outputsOf(node.name).flat()
    const behind = outputs.filter(
      (target, at) =>
        outputs.findIndex((one) => one.node === target.node && one.input === target.input) === at,
    )
    const next = behind.map((target): Arrival => ({ ...target, source: gives }))
    return { steps, ends: [], known, last: gives, next }
  }

  #context(node: Node, source: Source | null, arrivals: readonly Arrival[], scope: Scope): NodeContext {
    const ref = this.#newRef(node.name)
    const inputs = new Map<number, Source>()
    for (const group of grouped(arrivals)) {
      const held = combined(group)
      if (held !== null) inputs.set(group[0]?.input ?? 0, held)
    }
    return createContext({
      node,
      ref,
      source,
      inputs,
      scope,
      workflow: this.#workflow,
      note: (field, message) => this.#note(ref, node.name, field, message),
      env: (name) => void this.#variables.add(name),
      newRef: this.#newRef,
    })
  }

  #note(ref: string | null, node: string, field: string | null, message: Said): void {
    this.#notes.add({ ref_id: ref, node, field, message })
  }
}

const TOO_MUCH = say`is beyond the limit of ${MOST_STEPS} steps or ${MOST_VISITS} paths to them, as is everything after it`

const namesOf = (targets: readonly Target[]) => targets.map(({ node }) => `"${node}"`).join(', ')

function calculating(step: Step, node: Node): Step {
  return { ...dressed(step, { ...node, notes: '' }), title: `${node.name}: JavaScript`.slice(0, 200) }
}
