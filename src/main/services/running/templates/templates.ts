/** Renders, checks and completes templates for their authors. */
import { say } from '../../../../shared/contract/base/message.ts'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { z } from 'zod'
import type {
  CompletionEntry,
  previewTemplateRoute,
  renderTemplateRoute,
  ScopeName,
  TemplatePreview,
} from '../../../../shared/contract/templates.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { LIMITS } from '../../../../shared/contract/base/limits.ts'
import { type Data, estimateBytes } from '@millrace/jinja/data'
import { createRedactor, type Redactor } from '../../../engine/redaction/redactor.ts'
import { completionEntries, describeContext } from '@millrace/jinja/environment'
import type { Caller } from '../../kit/caller.ts'
import { templateToAppError } from '../../kit/template-error.ts'
import {
  createTemplatePlaces,
  PREVIEW,
  type TemplatePlace,
  type TemplatePlacesOptions,
} from './template-places.ts'
import { outcomeOf } from './step-outcome.ts'
import { continueTemplate } from './template-continuations.ts'
import { previewTemplate } from './template-preview.ts'

export interface TemplatesOptions extends TemplatePlacesOptions {
  /** Secret values among the env values. */
  readonly envSecrets: () => readonly string[]
}

export function createTemplatesService(options: TemplatesOptions) {
  const { envSecrets } = options
  const { survey, resultsOf, envOf } = createTemplatePlaces(options)
  const redactor = createRedactorOf(envSecrets)
  const inTurn = createFairQueue()

  return {
    /** @throws AppError `template_error` with line, column, token and hint */
    async render(
      caller: Caller,
      { template, context = {}, flow_run_id: runId, native }: z.output<typeof renderTemplateRoute.body>,
    ): Promise<{ output: Data }> {
      try {
        const output = await inTurn(caller, context, () => {
          const values = runId === undefined ? context : { ...envOf(caller), ...resultsOf(caller, runId) }
          return native ? PREVIEW.evaluate(template, values) : PREVIEW.renderString(template, values)
        })
        return { output }
      } catch (error) {
        throw templateToAppError(error)
      }
    },
    /** Everything that the language offers, and the names that can be read at that place. */
    complete(caller: Caller, place: TemplatePlace): { entries: CompletionEntry[]; names: ScopeName[] } {
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
    preview(
      caller: Caller,
      {
        template,
        kind,
        context = {},
        step,
        continue: isContinued,
        ...place
      }: z.output<typeof previewTemplateRoute.body>,
    ): Promise<TemplatePreview> {
      return inTurn(caller, context, async () => {
        const scope = survey(caller, place, context)
        return {
          ...previewTemplate(template, kind, scope, redactor()),
          outcome: step === undefined ? null : await outcomeOf(step, scope, redactor()),
          continuations: isContinued ? continueTemplate(template, scope, redactor()) : [],
        }
      })
    },
  }
}

/** Lists each name with its known fields; a name without a value has none. */
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

/** @param values held until the task has ended */
type FairQueue = <T>(caller: Caller, values: object, work: () => T | Promise<T>) => Promise<T>

/**
 * Runs tasks one at a time, each in its own event loop iteration. Callers take turns, so that nobody waits for all
 * tasks of another caller. After a long task, everything else is served first, including new connections.
 */
function createFairQueue(): FairQueue {
  const waiting = new Map<string, (() => Promise<void>)[]>()
  let isRunning = false
  let heldBytes = 0

  async function runAll(): Promise<void> {
    isRunning = true
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const [owner, [task, ...rest]] = first
      waiting.delete(owner)
      if (rest.length > 0) waiting.set(owner, rest)
      const start = performance.now()
      await task?.()
      await (performance.now() - start > LONG_MS ? setTimeout(PAUSE_MS) : setImmediate())
    }
    isRunning = false
  }

  return async ({ tokenId, userId }, values, work) => {
    const owner = tokenId ?? userId
    const own = waiting.get(owner) ?? []
    const bytes = estimateBytes(values as Data, MOST_HELD_BYTES)
    const isTooMuch = heldBytes > 0 && heldBytes + bytes > MOST_HELD_BYTES
    if (isTooMuch || own.length >= LIMITS.templatesWaiting) throw tooManyWaiting()
    heldBytes += bytes
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(owner, [...own, () => Promise.resolve().then(work).then(resolve, reject)])
        if (!isRunning) void runAll()
      })
    } finally {
      heldBytes -= bytes
    }
  }
}

function tooManyWaiting(): AppError {
  return new AppError(
    'rate_limit',
    say('Too many templates are waiting to be tried; send this one again in a moment'),
    { headers: { 'Retry-After': '1' } },
  )
}

const LONG_MS = 10
const MOST_HELD_BYTES = 100_000_000
const PAUSE_MS = 10
