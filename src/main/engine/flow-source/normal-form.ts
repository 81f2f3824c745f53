/** Flows in their form for version control, in which equal flows become equal files. */
import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { FlowSource } from '../../../shared/contract/flow-files.ts'
import { DEFAULT_FLOW_SETTINGS } from '../../../shared/contract/flows.ts'
import { isStepType, STEP_CONFIGS, type StepType } from '../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../shared/contract/steps.ts'
import { CHILD_LISTS } from '../../../shared/contract/base/step-lists.ts'
import {
  type Data,
  type Dictionary,
  dictionaryOf,
  entriesOf,
  equalData,
  writeJson,
} from '@millrace/jinja/data'

/** Fields of a step's config that contain an ID, each with the key for the name that replaces it in a source. */
export const NAMED_INSTEAD: readonly (readonly [id: string, name: string])[] = [
  ['connector_id', 'connector'],
  ['auth_id', 'auth'],
  ['dynamic_auth_id', 'dynamic_auth'],
]

/** A source without default values, and with its keys in a fixed order. */
export type NormalSource = { readonly id: string; readonly name: string; readonly steps: readonly Data[] } & {
  readonly [key: string]: Data
}

/** Keys inside values keep their order, because templates and requests see it. */
export function normalSource({ id, name, description, tags, settings, steps }: FlowSource): NormalSource {
  const changed = Object.keys(DEFAULT_FLOW_SETTINGS).flatMap((key): [string, Data][] => {
    const value = settings[key as keyof typeof settings] as Data | undefined
    const usual = DEFAULT_FLOW_SETTINGS[key as keyof typeof DEFAULT_FLOW_SETTINGS] as Data
    return value === undefined || equalData(value, usual) ? [] : [[key, value]]
  })
  return {
    id: id.toLowerCase(),
    name,
    ...(description !== '' && { description }),
    ...(tags.length > 0 && { tags }),
    ...(changed.length > 0 && { settings: dictionaryOf(changed) }),
    steps: steps.map(normalStep),
  }
}

/** A hash that is the same for equal content. */
export function revisionOf(source: NormalSource): string {
  return hash('sha256', writeJson(source), 'base64url').slice(0, 22)
}

function normalStep(step: Step): Data {
  const { title, description, disabled, on_error: onError, retry, cases } = step
  const config = normalConfig(step)
  const lists = CHILD_LISTS.map((key) => [key, step[key]?.map(normalStep)] as const)
  const branches = cases?.map(({ label, steps }) => ({ label, steps: steps.map(normalStep) }))
  const entries: (readonly [string, Data | undefined])[] = [
    ['ref_id', step.ref_id],
    ['type', step.type],
    ['title', title || undefined],
    ['description', description || undefined],
    ['disabled', disabled || undefined],
    ['on_error', onError === 'stop' ? undefined : onError],
    ['retry', retry ?? undefined],
    ['config', entriesOf(config).length === 0 ? undefined : config],
    ...lists.slice(0, -1),
    ['cases', branches],
    ...lists.slice(-1),
  ]
  return dictionaryOf(entries.filter((entry): entry is [string, Data] => entry[1] !== undefined))
}

/** The fields in the order of the schema. Those of unknown types are left unchanged. */
function normalConfig({ type, config }: Step): Dictionary {
  const entries = entriesOf(config as Dictionary)
  if (!isStepType(type)) return dictionaryOf(entries)
  const fields = fieldsOf(type)
  const place = ([key]: readonly [string, Data]) => {
    const at = fields.findIndex((field) => field.name === key || field.otherName === key)
    return at === -1 ? fields.length : at
  }
  const isUsual = ([key, value]: readonly [string, Data]) => {
    const usual = fields.find(({ name }) => name === key)?.usual
    return usual !== undefined && equalData(value, usual)
  }
  return dictionaryOf(
    entries.filter((entry) => !isUsual(entry)).toSorted((one, other) => place(one) - place(other)),
  )
}

interface Field {
  readonly name: string
  readonly otherName: string | undefined
  /** Its default; undefined if there is none. */
  readonly usual: Data | undefined
}

const known = new Map<StepType, readonly Field[]>()

function fieldsOf(type: StepType): readonly Field[] {
  const fields = known.get(type) ?? readFields(STEP_CONFIGS[type])
  known.set(type, fields)
  return fields
}

function readFields({ shape }: { readonly shape: Readonly<Record<string, z.ZodType>> }): Field[] {
  return Object.entries(shape).map(([name, field]) => ({
    name,
    otherName: NAMED_INSTEAD.find(([id]) => id === name)?.[1],
    usual: field.safeParse(undefined).data as Data | undefined,
  }))
}
