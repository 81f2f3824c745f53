import { createStore } from 'zustand/vanilla'
import { completionsRoute, previewTemplateRoute } from '../../../../shared/contract/templates.ts'
import type {
  CompletionEntry,
  PreviewKind,
  ScopeName,
  StepOutcome,
  TemplatePreview,
  TemplateProblem,
} from '../../../../shared/contract/templates.ts'
import type { Step, StepInput } from '../../../../shared/contract/steps.ts'
import type { Api } from '../../../api/create-api.ts'
import { asAppError, isAbort } from '../../../api/failure.ts'
import { t } from '../../../lib/i18n.ts'
import { sentenceOf } from '../../../lib/template-problem.ts'
import { afterPress } from './after-press.ts'

/** A filter or method that fits a value, with its result. */
export type Continuation = TemplatePreview['continuations'][number]

/** The place of a template, and how its field uses it. */
export interface TemplatePlace {
  readonly refId: string
  /** The field, such as `config.collect`; empty if it makes no difference. */
  readonly field: string
  readonly kind: PreviewKind
  readonly bare: boolean
}

/** The source of values that replace those of a run. */
export type DataSource =
  /** The run that is shown below the form. */
  | { readonly kind: 'run' }
  /** A request's data, instead of what the trigger received in that run. */
  | { readonly kind: 'request'; readonly runId: string; readonly input: unknown }
  | { readonly kind: 'typed'; readonly text: string; readonly values: Readonly<Record<string, unknown>> }

export interface FocusedField {
  /** The ID of its control, unique on the page. */
  readonly id: string
  readonly label: string
  readonly refId: string
  readonly field: string
  readonly insert: (expression: string) => void
  readonly focus: () => void
}

export type EditorPane = 'steps' | 'form' | 'data'

export interface ShownPreview {
  /** ID of the field's control. */
  readonly of: string
  readonly template: string
  readonly result: TemplatePreview | null
  /** Why there is no result: the server didn't respond. */
  readonly failure: string | null
}

/** The available values as sent to the server. */
export interface GivenValues {
  readonly runId: string | null
  /** Values that override the run's results. */
  readonly over: Readonly<Record<string, unknown>>
}

/** A loop around a step, with the item whose values are shown. */
export type ShownTurn = TemplatePreview['loops'][number]

/** The item of the innermost loop around a place. */
export interface LoopValues {
  readonly item: unknown
  readonly index: number
}

export interface AssistState {
  readonly entries: readonly CompletionEntry[]
  /** Names of loops and variables, by `step|field`. */
  readonly described: Readonly<Record<string, readonly ScopeName[]>>
  /** Loops around a place, outermost first, by `step|field`. */
  readonly loops: Readonly<Record<string, readonly ShownTurn[]>>
  /** The items of these loops, by `step|field`; absent if unknown or too large to be shown. */
  readonly loopValues: Readonly<Record<string, LoopValues>>
  /** The selected item of each loop, by its `ref_id`; for others the last one is used. */
  readonly turns: Readonly<Record<string, number>>
  readonly turnChosen: (loopRef: string, index: number) => void
  /** The selected items in the server's notation: `2.0`; null if none is selected. */
  readonly iterationAt: (refId: string, field: string) => string | null
  readonly source: DataSource
  /** The last focused field; picked values go there. */
  readonly focused: FocusedField | null
  readonly preview: ShownPreview | null
  /** The dialog of a test run is open. */
  readonly testing: { readonly before?: string } | null
  /** The visible part of the editor if there is room for only one. */
  readonly pane: EditorPane
  readonly opened: () => void
  /** @param before the step that the run stops before; without it, all steps run */
  readonly testAsked: (before?: string) => void
  readonly testClosed: () => void
  readonly paneShown: (pane: EditorPane) => void
  /** Reloads the names that only Millrace knows. */
  readonly placeShown: (
    refId: string,
    field: string,
    runId: string | null,
    /** Whether the list that an item comes from has changed. */
    isOverChanged?: boolean,
  ) => Promise<void>
  readonly sourceChosen: (source: DataSource) => void
  readonly fieldFocused: (field: FocusedField) => void
  /** The field is on screen until the returned function is called; it is notified when the values change. */
  readonly fieldShown: (id: string, inspectAgain: () => void) => () => void
  /** Makes every field check its text again, since other values can cause other problems. */
  readonly valuesChanged: () => void
  /** The result of a template with the available values, as text; null if some are missing or it is wrong. */
  readonly rendered: (template: string, place: TemplatePlace) => Promise<string | null>
  /** The result of a step with the available values; null if unknown. */
  readonly tried: (
    step: Pick<Step, 'ref_id' | 'type' | 'config' | 'cases'>,
    signal: AbortSignal,
  ) => Promise<StepOutcome | null>
  /** Filters and methods that can follow an expression, each with its result; empty if its value isn't known. */
  readonly continued: (expression: string, place: TemplatePlace) => Promise<readonly Continuation[]>
  /** The result of a template with the available values, or why there is none. */
  readonly evaluated: (
    template: string,
    place: TemplatePlace,
  ) => Promise<{ readonly value: unknown } | { readonly problem: string }>
  /** The problems of a template; its preview is shown if its field is the focused one. */
  readonly inspected: (
    id: string,
    template: string,
    place: TemplatePlace,
  ) => Promise<readonly TemplateProblem[]>
}

const NOTHING_WRONG: readonly TemplateProblem[] = []

/** Assistance while a template is written: the language, the names, the values, and the result. */
export function createAssistStore(
  api: Pick<Api, 'call'>,
  flowId: string,
  givenValues: (source: DataSource, place: TemplatePlace, template: string) => GivenValues,
  /** Resolves once the server has the editor's steps. */
  kept: () => Promise<void>,
) {
  return createStore<AssistState>()((set, get) => {
    const running = new Map<string, AbortController>()
    const shown = new Map<string, () => void>()
    const steps = new Map<string, Promise<void>>()

    /** A new step is saved to the draft first, so that the server knows the place of its templates. */
    function stepKept(refId: string): Promise<void> {
      const known = steps.get(refId) ?? kept().catch(() => undefined)
      steps.set(refId, known)
      return known
    }

    function show(preview: ShownPreview): void {
      afterPress(() => {
        if (get().focused?.id === preview.of) set({ preview })
      })
    }

    /** @throws only if it was aborted */
    async function ask(
      template: string,
      place: TemplatePlace,
      signal?: AbortSignal,
      more: { readonly step?: StepInput; readonly continue?: boolean } = {},
      /** The text whose names determine which values are sent. */
      named = template,
    ): Promise<Pick<ShownPreview, 'result' | 'failure'>> {
      const { runId, over } = givenValues(get().source, place, named)
      const body = {
        template,
        kind: place.kind,
        flow_id: flowId,
        ref_id: place.refId,
        field: place.field,
        context: over,
        ...(runId === null ? {} : { flow_run_id: runId }),
        ...iterationOf(place.refId, place.field),
        ...more,
      }
      try {
        return { result: await api.call(previewTemplateRoute, { body }, signal), failure: null }
      } catch (error) {
        if (isAbort(error)) throw error
        return { result: null, failure: asAppError(error).message }
      }
    }

    const iterationOf = (refId: string, field: string) => {
      const iteration = get().iterationAt(refId, field)
      return iteration === null ? {} : { iteration }
    }

    /** Loads the item that the names of loops refer to at a place, with the available values. */
    async function askForItem(refId: string, field: string): Promise<void> {
      const key = `${refId}|${field}`
      const { result } = await ask('{{ item }}', { refId, field, kind: 'value', bare: false })
      if (result === null) return
      const { loops, rendered } = result
      const index = loops.at(-1)?.index
      set((state) => {
        const { [key]: _before, ...others } = state.loopValues
        const known = rendered !== null && !rendered.truncated && index !== undefined
        return {
          loops: { ...state.loops, [key]: loops },
          loopValues: known ? { ...others, [key]: { item: rendered.value, index } } : others,
        }
      })
    }

    /** A newer text of the field replaces an older one that is still being checked. */
    async function inspect(
      id: string,
      template: string,
      place: TemplatePlace,
    ): Promise<TemplatePreview | null> {
      running.get(id)?.abort()
      const controller = new AbortController()
      running.set(id, controller)
      await stepKept(place.refId)
      if (controller.signal.aborted) return null
      try {
        const preview = await ask(template, place, controller.signal)
        show({ of: id, template, ...preview })
        return preview.result
      } catch {
        return null
      } finally {
        if (running.get(id) === controller) running.delete(id)
      }
    }

    return {
      entries: [],
      described: {},
      loops: {},
      loopValues: {},
      turns: {},
      turnChosen(loopRef, index) {
        set(({ turns }) => ({ turns: { ...turns, [loopRef]: index } }))
        get().valuesChanged()
      },
      iterationAt(refId, field) {
        const { loops, turns } = get()
        const around = loops[`${refId}|${field}`] ?? loops[`${refId}|`] ?? []
        const last = around.findLastIndex((loop) => turns[loop.ref_id] !== undefined)
        if (last === -1) return null
        return around
          .slice(0, last + 1)
          .map((loop) => turns[loop.ref_id] ?? loop.index)
          .join('.')
      },
      source: { kind: 'run' },
      focused: null,
      preview: null,
      testing: null,
      pane: 'steps',
      paneShown: (pane) => set({ pane }),
      testAsked: (before) => set({ testing: before === undefined ? {} : { before } }),
      testClosed: () => set({ testing: null }),
      opened() {
        void api.call(completionsRoute).then(
          ({ entries }) => set({ entries }),
          () => undefined, // Users can keep typing without completion; the status bar reports the failure.
        )
      },
      async placeShown(refId, field, runId, isOverChanged = false) {
        if (isOverChanged) steps.delete(refId)
        const query = {
          flow_id: flowId,
          ref_id: refId,
          field,
          ...(runId === null ? {} : { flow_run_id: runId }),
          ...iterationOf(refId, field),
        }
        await stepKept(refId)
        const names = await api.call(completionsRoute, { query }).then(
          (result) => result.names.filter(({ from }) => from !== 'step'),
          () => [],
        )
        set(({ described }) => ({ described: { ...described, [`${refId}|${field}`]: names } }))
        if (names.some(({ from }) => from === 'loop')) await askForItem(refId, field)
        if (isOverChanged) get().valuesChanged()
      },
      sourceChosen(source) {
        set({ source })
        get().valuesChanged()
      },
      fieldFocused(field) {
        if (get().focused?.id === field.id) return
        set({ focused: field })
        afterPress(() =>
          set(({ preview, focused }) => (preview?.of === focused?.id ? {} : { preview: null })),
        )
      },
      fieldShown(id, inspectAgain) {
        shown.set(id, inspectAgain)
        return () => {
          shown.delete(id)
          running.get(id)?.abort()
          if (get().focused?.id === id) set({ focused: null, preview: null })
        }
      },
      valuesChanged() {
        for (const inspectAgain of shown.values()) inspectAgain()
      },
      async rendered(template, place) {
        const { result } = await ask(template, place)
        return result?.rendered?.text ?? null
      },
      async tried({ ref_id, type, config, cases }, signal) {
        const named = JSON.stringify(config)
        const step = {
          ref_id,
          type,
          config,
          ...(cases === undefined ? {} : { cases: cases.map(({ label }) => ({ label, steps: [] })) }),
        }
        const place: TemplatePlace = { refId: ref_id, field: '', kind: 'value', bare: false }
        await stepKept(ref_id)
        const { result } = await ask('', place, signal, { step }, named)
        return result?.outcome ?? null
      },
      async continued(expression, place) {
        const template = `{{ ${expression} }}`
        const { result } = await ask(template, { ...place, kind: 'value' }, undefined, { continue: true })
        return result?.continuations ?? []
      },
      async evaluated(template, place) {
        if (!/\{[{%#]/.test(template) && place.kind !== 'body') return { value: template }
        await stepKept(place.refId)
        const { result, failure } = await ask(template, place)
        if (result === null) return { problem: failure ?? '' }
        const { problems, missing, rendered } = result
        if (rendered !== null) return { value: rendered.value }
        if (missing.length > 0)
          return {
            problem: t('No data for {{names}} yet. Run the flow once, or enter a value in the data.', {
              names: missing.join(', '),
            }),
          }
        return { problem: problems.map(sentenceOf).join(' ') }
      },
      async inspected(id, template, place) {
        if (!place.bare && !/\{[{%#]/.test(template)) {
          show({ of: id, template, result: null, failure: null })
          return NOTHING_WRONG
        }
        return (await inspect(id, template, place))?.problems ?? NOTHING_WRONG
      },
    }
  })
}
