import { type Data, type DataMap, dictionaryOf, writeJson } from '@millrace/jinja/data'
import { evaluateCondition, renderTraced, renderXml, type TracedValue } from '@millrace/jinja'
import { conditionContext } from '../request/context.ts'
import { renderConfigDictionary } from '../request/config-dictionary.ts'
import type { AskedCondition, ShownTemplate } from './events.ts'
import { type PageConfig, type PageContext, RENDER_OPTIONS } from '../model/page-config.ts'
import { configTemplates, type TemplateKey } from '../config/read-config.ts'
import { selectConfig } from '../config/select-config.ts'

/** Explains to the author of a configuration how and why a call is made. */
export interface Explanation {
  readonly conditions: readonly AskedCondition[]
  readonly templates: readonly ShownTemplate[]
  /** The variables of pagination. The previous response has its own event. */
  readonly variables: DataMap
}

/** The facts about a call apart from its configuration. */
interface Explained {
  /** Whether there is no response yet. */
  readonly isFirst: boolean
  /** Whether the action's body is XML. */
  readonly isXml: boolean
}

/**
 * Renders a call once more and records every value. Never throws, because an error here also occurs in the run and is
 * reported there.
 */
export function explainCall(
  configs: readonly PageConfig[],
  context: PageContext,
  { status, ...call }: Explained & { readonly status: number | undefined },
): Explanation {
  const conditions = conditionContext(context, status)
  return {
    conditions: askedConditions(configs, conditions),
    templates: shownTemplates(configs, context, conditions, call),
    variables: dictionaryOf(
      SHOWN_VARIABLES.map((name) => [name, clipped(context[name] ?? null)] as const),
    ) as DataMap,
  }
}

const SHOWN_VARIABLES = ['page', 'endpoint', 'count', 'last_record', 'links']

function askedConditions(configs: readonly PageConfig[], context: PageContext): AskedCondition[] {
  const asked: AskedCondition[] = []
  for (const { index, when } of configs) {
    if (when === null) continue
    const holds = orNull(() => evaluateCondition(when, context, RENDER_OPTIONS)) ?? false
    asked.push({ config_index: index, when, holds })
    if (holds) break
  }
  return asked
}

function shownTemplates(
  configs: readonly PageConfig[],
  context: PageContext,
  conditions: PageContext,
  call: Explained,
): ShownTemplate[] {
  const config = orNull(() => selectConfig(configs, conditions))
  if (config === null) return []
  return configTemplates(config).flatMap(([key, source]) => {
    const field = config.fieldOf(key)
    // Conditions are shown by their outcome.
    if (key === 'when' || key === 'retry_when') return []
    if (key === 'stop_when') {
      const value = orNull(() => evaluateCondition(source as string, conditions, RENDER_OPTIONS))
      return [{ field, source, value, taken: [] }]
    }
    const rendered = orNull(() => render(key, source, context, call))
    return [
      { field, source, value: clipped(rendered?.value ?? null), taken: takenFrom(rendered?.traced ?? []) },
    ]
  })
}

function render(
  key: TemplateKey,
  source: Parameters<typeof renderConfigDictionary>[0],
  context: PageContext,
  { isFirst, isXml }: Explained,
): { value: Data; traced: readonly TracedValue[] } | null {
  if (key === 'query' || key === 'body' || key === 'header')
    return renderConfigDictionary(source, context, isFirst)
  const write = key === 'raw_body' && isXml ? renderXml : renderTraced
  const { text, traced } = write(source as string, context, RENDER_OPTIONS)
  return { value: text.trim(), traced }
}

function takenFrom(traced: readonly TracedValue[]): ShownTemplate['taken'] {
  return traced.map(({ source, value }) => ({
    source,
    value: clipped(value ?? null),
    missing: value === undefined,
  }))
}

const CLIPPED_CHARACTERS = 4_000

/** The value if it is short enough to look at, or else the beginning of its JSON. */
function clipped(value: Data): Data {
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return value
  const text = typeof value === 'string' ? value : writeJson(value)
  return text.length > CLIPPED_CHARACTERS ? `${text.slice(0, CLIPPED_CHARACTERS)}…` : value
}

function orNull<T>(work: () => T): T | null {
  try {
    return work()
  } catch {
    return null
  }
}
