/** Converts n8n's workflow files to flows. Nothing in them is run or fetched here, and no credentials are imported. */
import { englishOf, type Said, say } from '@millrace/jinja/said'
import type { Step } from './source/steps.ts'
import { convertFrom } from './convert.ts'
import type { ImportNote } from './source/notes.ts'
import { mergeStarts } from './merge-starts.ts'
import { isErrorTrigger, isNote, isTrigger, startsByHand } from './nodes/index.ts'
import { childOf, isRecord, textOf } from './source/plain-json.ts'
import { asList, firstOf, type Source } from './source/values.ts'
import { listOf, type Node, readWorkflow, type Workflow } from './source/workflow.ts'

export type { ImportNote } from './source/notes.ts'
export type { Step } from './source/steps.ts'

export interface N8nFlow {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly steps: readonly Step[]
  readonly timeout_seconds: number | null
}

export interface N8nImport {
  /** One flow for all triggers that lead to the same steps. There is at least one flow. */
  readonly flows: readonly N8nFlow[]
  readonly notes: readonly ImportNote[]
  /** Millrace's variables that the flows read. */
  readonly variables: readonly string[]
}

/** The rules that imported flows must meet, from the code that saves them. */
export interface ImportOptions {
  /** Names that steps can't have. */
  readonly reservedNames?: readonly string[]
  /**
   * The problems that prevent a flow from being saved, by step. Steps with problems become placeholders, so that one
   * node never prevents the import of the others.
   */
  readonly findProblems?: (
    steps: readonly Step[],
    variables: readonly string[],
  ) => readonly { readonly refId: string | null; readonly problem: Said }[]
}

/** Null if it isn't a single n8n workflow, a list of several, or a copy from n8n's editor. */
export function importN8n(value: unknown, options: ImportOptions = {}): N8nImport | null {
  const sources = Array.isArray(value) ? (value as unknown[]).slice(0, MOST_WORKFLOWS) : [value]
  const workflows = sources.map((one) => (isRecord(one) ? readWorkflow(one) : null))
  if (workflows.length === 0 || workflows.some((one) => one === null)) return null
  const read = workflows.map((one) => importWorkflow(one as Workflow, options))
  return {
    flows: read.flatMap(({ flows }) => flows),
    notes: read.flatMap(({ notes }) => notes),
    variables: [...new Set(read.flatMap(({ variables }) => variables))],
  }
}

const MOST_WORKFLOWS = 20

function importWorkflow(
  workflow: Workflow,
  { reservedNames = [], findProblems = () => [] }: ImportOptions,
): N8nImport {
  const starts = startsOf(workflow)
  const converted = starts.flatMap((start) =>
    timesOf(start).map((one) => ({
      start: one,
      ...convertFrom(
        { ...workflow, nodes: new Map(workflow.nodes).set(one.name, one) },
        one.name,
        reservedNames,
      ),
    })),
  )
  const used = new Set(converted.flatMap(({ nodes }) => [...nodes]))
  const merged = mergeStarts(
    converted.map(({ steps, ...one }) => ({ ...one, steps: answering(steps, one.start, one.last) })),
  )
  const notes = [...merged.flatMap(({ of }) => withoutRepeats(of)), ...aboutTheRest(workflow, used)]
  const flows = merged.map(({ of: [first, ...others], steps }, at): N8nFlow => ({
    name: at === 0 ? workflow.name : `${workflow.name} (${first.start.name})`.slice(0, 200),
    description: at === 0 ? describe(workflow) : '',
    tags: workflow.tags,
    steps: savable(
      steps,
      [first, ...others].flatMap(({ variables }) => variables),
      findProblems,
      notes,
    ),
    timeout_seconds: timeoutOf(workflow),
  }))
  return { flows, notes, variables: [...new Set(converted.flatMap(({ variables }) => variables))] }
}

/** Removes repeated notes, because merged flows have the same notes about the nodes that they share. */
function withoutRepeats(of: readonly { readonly notes: readonly ImportNote[] }[]): ImportNote[] {
  return [...new Map(of.flatMap(({ notes }) => notes).map((note) => [JSON.stringify(note), note])).values()]
}

/** Replaces each step that couldn't be saved with a placeholder. */
function savable(
  steps: readonly Step[],
  variables: readonly string[],
  findProblems: NonNullable<ImportOptions['findProblems']>,
  notes: ImportNote[],
): readonly Step[] {
  let result = steps
  // A placeholder can cause a problem elsewhere, but each pass leaves fewer steps that can have one.
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const why = new Map(findProblems(result, variables).map(({ refId, problem }) => [refId, problem]))
    if (why.size === 0) break
    result = result.map((step) => keptIf(step, why, notes))
  }
  return result
}

const MOST_PASSES = 10
const KEPT = 'n8n.'

function keptIf(step: Step, why: ReadonlyMap<string | null, Said>, notes: ImportNote[]): Step {
  const inner = (list: readonly Step[] | undefined) => list?.map((one) => keptIf(one, why, notes))
  const lists = {
    ...(step.steps && { steps: inner(step.steps) ?? [] }),
    ...(step.then && { then: inner(step.then) ?? [] }),
    ...(step.else && { else: inner(step.else) ?? [] }),
    ...(step.default && { default: inner(step.default) ?? [] }),
    ...(step.cases && { cases: step.cases.map((one) => ({ ...one, steps: inner(one.steps) ?? [] })) }),
  }
  const problem = why.get(step.ref_id)
  if (problem === undefined || step.type.startsWith(KEPT)) return { ...step, ...lists }
  const message = say`can't be saved as a step of type ${step.type}: ${problem}; it is kept unchanged and fails when it runs: replace it with another step`
  notes.push({ ref_id: step.ref_id, node: step.title || step.ref_id, field: null, message })
  return {
    ...step,
    ...lists,
    type: `${KEPT}${step.type}`.slice(0, 60),
    config: {
      n8n: { not_translated: englishOf(problem).slice(0, 300), type: step.type, config: step.config ?? {} },
    },
  }
}

/** Every trigger, except a manual one if another trigger leads to the same nodes. */
function startsOf(workflow: Workflow): Node[] {
  const all = [...workflow.nodes.values()].filter((node) => !isNote(node))
  const triggers = all.filter(isTrigger)
  const others = triggers.filter((node) => !startsByHand(node))
  const active = others.filter((node) => !node.disabled)
  const byHand = triggers.filter((node) => startsByHand(node) && !leadsWhere(workflow, node, active))
  const starts = [
    ...active.filter((node) => !isErrorTrigger(node)),
    ...active.filter(isErrorTrigger),
    ...byHand,
  ]
  if (starts.length > 0) return starts.slice(0, MOST_STARTS)
  const targets = new Set([...workflow.outputs.values()].flat(2).map(({ node }) => node))
  const first = all.find((node) => !targets.has(node.name) && workflow.outputs.has(node.name)) ?? all[0]
  return first === undefined ? [emptyNode] : [first]
}

const MOST_STARTS = 10

/** Splits a schedule with several times into one trigger for each. */
function timesOf(start: Node): Node[] {
  for (const [type, group, list] of [
    ['scheduleTrigger', 'rule', 'interval'],
    ['cron', 'triggerTimes', 'item'],
  ] as const) {
    const held = childOf(start.parameters, group)
    const times = listOf(held[list])
    if (start.type === `n8n-nodes-base.${type}` && times.length > 1)
      return times.slice(0, MOST_STARTS).map((one) => ({
        ...start,
        parameters: { ...start.parameters, [group]: { ...held, [list]: [one] } },
      }))
  }
  return [start]
}

const emptyNode = { name: '', type: '', parameters: {} } as Node

/** Whether one of the others leads to all the same nodes. */
function leadsWhere({ outputs }: Workflow, start: Node, others: readonly Node[]): boolean {
  const wanted = (outputs.get(start.name) ?? []).flat().map(({ node }) => node)
  return others.some((other) => {
    const targets = new Set((outputs.get(other.name) ?? []).flat().map(({ node }) => node))
    return wanted.every((node) => targets.has(node))
  })
}

/** Makes a webhook respond with the last result. */
function answering(steps: readonly Step[], start: Node, last: Source | null): Step[] {
  const [first, ...others] = steps
  if (first?.type !== 'webhook' || start.parameters['responseMode'] !== 'lastNode' || last === null)
    return [...steps]
  const wanted = textOf(start.parameters['responseData']) || 'firstEntryJson'
  if (wanted === 'noData') return [...steps]
  const body =
    wanted === 'allEntries' ? asList(last) : last.items === 'one' ? last.whole : firstOf(last).whole
  return [{ ...first, config: { ...first.config, response_body: `{{ (${body}) | jsonify }}` } }, ...others]
}

function describe(workflow: Workflow): string {
  const notes = [...workflow.nodes.values()]
    .filter(isNote)
    .map((node) => textOf(node.parameters['content']).trim())
    .filter((text) => text !== '')
  return notes.join('\n\n').slice(0, 20_000)
}

function timeoutOf({ settings }: Workflow): number | null {
  const seconds = Number(settings['executionTimeout'])
  return Number.isInteger(seconds) && seconds > 0 && seconds <= 604_800 ? seconds : null
}

function aboutTheRest(workflow: Workflow, used: ReadonlySet<string>): ImportNote[] {
  const about = (node: string, message: Said): ImportNote => ({ ref_id: null, node, field: null, message })
  const notes: ImportNote[] = []
  const [stray] = workflow.strayConnections
  if (stray !== undefined)
    notes.push(
      about(
        workflow.name,
        say`has connections to nodes that aren't in the file, such as "${stray.slice(0, 60)}", so only its trigger was imported; export the workflow from n8n again`,
      ),
    )
  for (const node of stray === undefined ? workflow.nodes.values() : []) {
    if (used.has(node.name) || isNote(node) || startsByHand(node)) continue
    notes.push(about(node.name, say`was left out: no trigger leads to it`))
  }
  if (textOf(workflow.settings['errorWorkflow']) !== '')
    notes.push(
      about(
        workflow.name,
        say`had an error workflow; import it as well and choose it in the settings of the flow`,
      ),
    )
  return notes
}
