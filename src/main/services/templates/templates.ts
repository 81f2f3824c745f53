/** Templates for their authors: rendered, checked in place, and completed. */
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { z } from 'zod'
import type {
  CompletionEntry,
  previewTemplateRoute,
  renderTemplateRoute,
  ScopeName,
  TemplatePreview,
} from '../../../shared/contract/templates.ts'
import type { Data } from '../../engine/data/value.ts'
import { createRedactor, type Redactor } from '../../engine/redaction/redactor.ts'
import { completionEntries, describeContext } from '../../engine/template/environment.ts'
import type { Caller } from '../kit/caller.ts'
import { templateToAppError } from '../kit/template-error.ts'
import { createTemplatePlaces, type TemplatePlace, type TemplatePlacesOptions } from './template-places.ts'
import { outcomeOf } from './step-outcome.ts'
import { continueTemplate } from './template-continuations.ts'
import { PREVIEW, previewTemplate } from './template-preview.ts'

export interface TemplatesService {
  /** @throws AppError `template_error` with line, column, token and hint */
  render(caller: Caller, body: z.output<typeof renderTemplateRoute.body>): Promise<{ output: Data }>
  /** Everything that the language offers, and the names that can be read at that place. */
  complete(caller: Caller, place: TemplatePlace): { entries: CompletionEntry[]; names: ScopeName[] }
  preview(caller: Caller, body: z.output<typeof previewTemplateRoute.body>): Promise<TemplatePreview>
}

export interface TemplatesOptions extends TemplatePlacesOptions {
  /** Secret values among the env values. */
  readonly envSecrets: () => readonly string[]
}

export function createTemplatesService(options: TemplatesOptions): TemplatesService {
  const { envSecrets } = options
  const { survey, resultsOf, envOf } = createTemplatePlaces(options)
  const redactor = createRedactorOf(envSecrets)
  const inOrder = createSerialQueue()

  return {
    async render(caller, { template, context = {}, flow_run_id: runId, native }) {
      const values = runId === undefined ? context : { ...envOf(caller), ...resultsOf(caller, runId) }
      try {
        const output = await inOrder(() =>
          native ? PREVIEW.evaluate(template, values) : PREVIEW.renderString(template, values),
        )
        return { output }
      } catch (error) {
        throw templateToAppError(error)
      }
    },
    complete(caller, place) {
      const { names, values } = survey(caller, place)
      const hidden = redactor()
      // Secrets too short to search for are redacted if they are a whole value.
      const secrets = new Set(envSecrets())
      return {
        entries: completionEntries() as CompletionEntry[],
        names: describeNames(names, values).map((name) => ({
          ...name,
          sample:
            name.sample === null ? null : secrets.has(name.sample) ? '***' : hidden.redactText(name.sample),
        })),
      }
    },
    preview(caller, { template, kind, context, step, continue: isContinued, ...place }) {
      const scope = survey(caller, place, context)
      return inOrder(async () => ({
        ...previewTemplate(template, kind, scope, redactor()),
        outcome: step === undefined ? null : await outcomeOf(step, scope, redactor()),
        continuations: isContinued ? continueTemplate(template, scope, redactor()) : [],
      }))
    },
  }
}

/** Each name with its known fields; a name without a value has none. */
function describeNames(
  names: ReadonlyMap<string, ScopeName['from']>,
  values: Readonly<Record<string, unknown>>,
): ScopeName[] {
  return [...names].flatMap(([root, from]): ScopeName[] => {
    const value = values[root]
    if (value === undefined) return [{ path: root, from, type: null, sample: null }]
    return describeContext({ [root]: value }).map((name) => ({ ...name, from }))
  })
}

/** Caches one redactor for as long as the secrets are the same. */
function createRedactorOf(secretsOf: () => readonly string[]): () => Redactor {
  let made: { readonly secrets: readonly string[]; readonly redactor: Redactor } | null = null
  return () => {
    const secrets = secretsOf()
    if (made?.secrets !== secrets) made = { secrets, redactor: createRedactor({ secrets }) }
    return made.redactor
  }
}

/**
 * Runs tasks in order, each in its own event loop iteration. After a long one, everything else is served first,
 * including new connections.
 */
function createSerialQueue(): <T>(work: () => T | Promise<T>) => Promise<T> {
  let free: Promise<unknown> = Promise.resolve()
  return (work) => {
    let start = 0
    const mine = free.then(() => {
      start = performance.now()
      return work()
    })
    const pause = () => (performance.now() - start > LONG_MS ? setTimeout(PAUSE_MS) : setImmediate())
    free = mine.then(pause, pause)
    return mine
  }
}

const LONG_MS = 10
const PAUSE_MS = 10
