import type { FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { plural } from '../../lib/format.ts'

export interface ReadableValue {
  /** As a template writes it: `web1.items[0].sku`. */
  readonly path: string
  /** Its value in the last run, short; empty where nothing is known. */
  readonly sample: string
}

const DEPTH = 4
const KEYS = 60

/** Every name that a step's templates can read, nearest step first, three levels into each known result. */
export function readableValues(
  before: readonly Step[],
  insideLoop: boolean,
  records: Readonly<Record<string, FlowRunStep>>,
): readonly ReadableValue[] {
  const loop = insideLoop ? ['item', 'index'].map((path) => ({ path, sample: 'of the loop' })) : []
  const results = before.toReversed().flatMap((step) => {
    const record = records[step.ref_id]
    if (record === undefined) return [{ path: step.ref_id, sample: '' }]
    return listPaths(step.ref_id, record.output, DEPTH)
  })
  return [...loop, ...results]
}

function listPaths(path: string, value: unknown, depth: number): ReadableValue[] {
  const own = { path, sample: toSample(value) }
  if (depth === 0 || typeof value !== 'object' || value === null) return [own]
  const entries: [string, unknown][] = Array.isArray(value)
    ? value.slice(0, 1).map((item) => [`${path}[0]`, item])
    : Object.entries(value)
        .slice(0, KEYS)
        .map(([key, item]) => [path + keyPart(key), item])
  return [own, ...entries.flatMap(([below, item]) => listPaths(below, item, depth - 1))]
}

function keyPart(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `['${key.replace(/[\\']/g, '\\$&')}']`
}

function toSample(value: unknown): string {
  if (Array.isArray(value)) return `list of ${value.length}`
  if (typeof value === 'object' && value !== null) return plural(Object.keys(value).length, 'key')
  return typeof value === 'string' ? value.slice(0, 60) : String(value)
}
