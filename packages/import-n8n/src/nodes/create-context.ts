import { type Plain, textOf } from '../source/plain-json.ts'
import type { Names } from '../expression/names.ts'
import type { Source } from '../source/values.ts'
import type { Workflow } from '../source/workflow.ts'
import type { NodeContext } from './node-context.ts'
import { createParameterReaders } from './parameters.ts'
import { createScripts } from './scripts.ts'

/** The data available at the position of a node. */
export interface Surroundings {
  /** The results of the previous nodes; null for several items that can't be told apart here. */
  readonly known: ReadonlyMap<string, Source | null>
  /** The index of the item among all items, as a template expression; null if it is unknown. */
  readonly itemIndex: string | null
}

export interface ContextOptions extends Pick<
  NodeContext,
  'node' | 'ref' | 'source' | 'inputs' | 'note' | 'newRef'
> {
  readonly scope: Surroundings
  readonly workflow: Workflow
  readonly env: (name: string) => void
}

export function createContext({ scope, workflow, env, ...own }: ContextOptions): NodeContext {
  const { known, itemIndex } = scope
  const { source, ref, newRef } = own
  const timezone = timezoneOf(workflow.settings)
  const zone = timezone ?? 'UTC'
  const names: Names = {
    current: source,
    node: (name) => known.get(name) ?? null,
    itemIndex,
    workflow: workflow.name,
    timezone: zone,
    env,
  }
  const scripts = createScripts({
    source,
    known,
    workflow: workflow.name,
    itemIndex: itemIndex === 'index' ? 'input.index' : itemIndex,
    timezone: zone,
    newRef: (end) => newRef(`${ref}_${end}`),
    env,
  })
  return { ...own, names, timezone, scripts, ...createParameterReaders(names, scripts) }
}

export function timezoneOf(settings: Plain): string | null {
  const zone = textOf(settings['timezone'])
  return zone === '' || zone === 'DEFAULT' || zone.length > 60 ? null : zone
}
