import { Pin } from '../../../lib/icons.tsx'
import { useRef, useState } from 'react'
import type { Step } from '../../../../shared/contract/steps.ts'
import { asAppError } from '../../../api/failure.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Field } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../../components/screen/error-notice.tsx'
import { Keys } from '../../../components/screen/shortcuts.tsx'
import { isDictionary, recallSampleInput } from '../../../components/runs/sample-input.ts'
import { JsonField } from '../../../components/code/json-field.tsx'
import { Trans } from '../../../lib/trans.tsx'
import { t } from '../../../lib/i18n.ts'
import { asTemplate } from '../fields/form-props.ts'
import { usePlugins, useEditor, useRunPanel } from '../state/editor-context.tsx'
import { hasUnsavedSteps } from '../state/editor-store.ts'
import { faceOf } from '../step-types/index.ts'
import { walkSteps } from '../model/step-tree.ts'
import type { Json } from '../../../../shared/contract/base/common.ts'
import { definitionOf } from '../../../../shared/contract/step-types/index.ts'

const NO_STEPS = [] as const

interface TestDialogProps {
  /** The steps that it can begin with: the flow's triggers, or its first step. */
  readonly triggers: readonly Step[]
  /** The step before which the run stops; without it, all steps run. */
  readonly before: string | undefined
  readonly onStarted: () => void
  readonly onClose: () => void
}

/** Runs the editor's steps, saved or not, with custom input. */
export function TestDialog({ triggers, before, onStarted, onClose }: TestDialogProps) {
  const [chosen, setChosen] = useState(triggers[0]?.ref_id ?? '')
  const trigger = triggers.find((step) => step.ref_id === chosen) ?? triggers[0]
  const results = useRunPanel((state) => state.steps)
  const started = useRunPanel((state) => state.started)
  const kept = useEditor((state) => state.kept)
  const unsaved = useEditor(hasUnsavedSteps)
  const steps = useEditor((editor) => editor.history?.present.steps ?? NO_STEPS)
  const plugins = usePlugins()
  const pins = useRunPanel((panel) => panel.pins)
  const pinned = walkSteps(steps).filter(({ step }) => Object.hasOwn(pins, step.ref_id))
  const flowId = useEditor((editor) => editor.flow?.id ?? '')
  const suggest = (step: Step | undefined) =>
    testInputOf(step, step && results[step.ref_id]?.output, recallSampleInput(flowId))
  const [suggested, setSuggested] = useState(() => suggest(trigger))
  const [input, setInput] = useState<unknown>(suggested.value)
  const [readable, setReadable] = useState(true)
  /** Text typed right before Ctrl+Enter counts, even if it hasn't been rendered yet. */
  const typed = useRef<{ input: unknown; readable: boolean }>({ input: suggested.value, readable: true })
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const startable = readable && isDictionary(input)

  /** Each trigger takes its own input. */
  function choose(refId: string) {
    const next = suggest(triggers.find((step) => step.ref_id === refId))
    setChosen(refId)
    setSuggested(next)
    setInput(next.value)
    setReadable(true)
    typed.current = { input: next.value, readable: true }
  }

  async function start() {
    const { input: wanted, readable: isReadable } = typed.current
    if (!isReadable || !isDictionary(wanted) || state.busy) return
    setState({ busy: true, failure: null })
    try {
      await kept()
      await started(
        wanted,
        unsaved || pinned.length > 0,
        before,
        triggers.length > 1 ? trigger?.ref_id : undefined,
      )
      onStarted()
    } catch (failure) {
      setState({ busy: false, failure })
    }
  }

  return (
    <Dialog
      open
      title={t('Test run')}
      unsaved={!state.busy && (input !== suggested.value || !readable)}
      onClose={onClose}
      onSubmit={start}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            look="primary"
            aria-keyshortcuts="Control+Enter"
            disabled={!startable}
            busy={state.busy}
            onClick={() => void start()}
          >
            {t('Run')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-muted">
          {before === undefined
            ? t('Runs the steps in the editor, including unsaved changes. HTTP requests are sent for real.')
            : t(
                'Runs the steps before “{{refId}}”, including unsaved changes. HTTP requests are sent for real.',
                { refId: before },
              )}{' '}
          <Trans text="<keys/> runs them." parts={{ keys: <Keys keys="mod+enter" /> }} />
        </p>
        {pinned.length === 0 ? null : (
          <p className="flex items-center gap-2 rounded bg-paused-soft px-3 py-1.5">
            <Pin size={13} aria-hidden className="shrink-0 text-paused" />
            <Trans
              text="Pinned, not executed: <steps/>"
              parts={{ steps: pinned.map(({ step }) => step.ref_id).join(', ') }}
            />
          </p>
        )}
        {triggers.length < 2 ? null : (
          <Field label={t('Trigger')} hint={t('The run begins as if this trigger had started it.')}>
            <Select
              value={chosen}
              onChange={choose}
              options={triggers.map((step) => ({
                value: step.ref_id,
                label: step.title || t(faceOf(step, plugins).label),
                hint: step.ref_id,
              }))}
            />
          </Field>
        )}
        <JsonField
          key={chosen}
          first={triggers.length < 2}
          label={
            trigger !== undefined && suggested.isRead
              ? t('Input, available as {{place}}', { place: `{{ ${trigger.ref_id}.key }}` })
              : t('Input')
          }
          hint={suggested.hint}
          value={input}
          error={
            isDictionary(input) ? undefined : t('{{value}} isn’t an object', { value: asTemplate(input) })
          }
          onChange={(next) => {
            typed.current = { input: next, readable: true }
            setInput(next)
          }}
          onReadable={(next) => {
            typed.current = { ...typed.current, readable: next }
            setReadable(next)
          }}
        />
        {state.failure === null ? null : (
          <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t start flow')} />
        )}
      </div>
    </Dialog>
  )
}

interface TestInput {
  /** The initial input of a test run, which the user can change. */
  readonly value: Readonly<Record<string, Json>>
  readonly hint: string
  /** Whether later steps read it by the name of the trigger. */
  readonly isRead: boolean
}

/**
 * @param step the flow's first step, if that starts it
 * @param last the input of the last run
 * @param sample the input of the sample that the flow was made from
 */
function testInputOf(step: Step | undefined, last: unknown, sample: TestInput['value'] | null): TestInput {
  const trigger = definitionOf(step?.type ?? '')?.trigger
  if (step === undefined || trigger === undefined)
    return { value: {}, hint: t('Not needed because no step reads it without a trigger.'), isRead: false }
  if (trigger.http && isDictionary(last))
    return { value: last, hint: t('Input of the last run.'), isRead: true }
  const example = trigger.http ? (sample ?? trigger.example?.(step.config, t)) : undefined
  return { value: example ?? {}, hint: t(trigger.hint), isRead: trigger.unread !== true }
}
