import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Json } from '../../../shared/contract/base/common.ts'
import type { FlowRun, FlowRunStep } from '../../../shared/contract/flow-runs.ts'
import { readRunResultsRoute, rerunFlowRunRoute } from '../../../shared/contract/run-debugging.ts'
import { asAppError } from '../../api/failure.ts'
import { formatJson, parseJson } from '../../lib/json.ts'
import { useApi } from '../../api/provider.tsx'
import { Button } from '../../components/controls/button.tsx'
import { CodeField } from '../../components/code/code-field.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { t } from '../../lib/i18n.ts'

interface RerunDialogProps {
  readonly run: FlowRun
  readonly steps: readonly FlowRunStep[]
  /** The selected step. */
  readonly initial: string
  readonly onClose: () => void
}

/** Runs again from a step, with the results of the earlier steps or with edited ones. */
export function RerunDialog({ run, steps, initial, onClose }: RerunDialogProps) {
  const api = useApi()
  const navigate = useNavigate()
  const choices = stepsToBeginWith(steps)
  const [from, setFrom] = useState(choices.some((ref) => ref === initial) ? initial : (choices[0] ?? ''))
  const [version, setVersion] = useState<'current' | 'recorded'>('current')
  const [kept, setKept] = useState<Readonly<Record<string, Json>> | null>(null)
  const [edited, setEdited] = useState<Readonly<Record<string, string>>>({})
  const [chosen, setChosen] = useState<string | null>(null)
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })

  useEffect(() => {
    const leaving = new AbortController()
    api
      .call(readRunResultsRoute, { params: { id: run.id } }, leaving.signal)
      .then(setKept, (failure: unknown) => {
        if (!leaving.signal.aborted) setState({ busy: false, failure })
      })
    return () => leaving.abort()
  }, [api, run.id])

  const first = choices[0]
  const earlier = from === first ? [from] : choices.slice(0, choices.indexOf(from))
  const shown = chosen !== null && earlier.includes(chosen) ? chosen : earlier.at(-1)
  const text = shown === undefined ? '' : (edited[shown] ?? formatJson(kept?.[shown] ?? null))
  const problem = shown !== undefined && edited[shown] !== undefined ? problemOf(edited[shown]) : undefined
  const isWrong = Object.values(edited).some((each) => problemOf(each) !== undefined)

  async function rerun() {
    setState({ busy: true, failure: null })
    try {
      const changed = Object.entries(edited).filter(([ref]) => earlier.includes(ref))
      const results = Object.fromEntries(changed.map(([ref, each]) => [ref, parseJson(each) as Json]))
      const { flow_run_id: id } = await api.call(rerunFlowRunRoute, {
        params: { id: run.id },
        body: { from, results, version },
      })
      onClose()
      await navigate({ to: '/runs/$runId', params: { runId: id } })
    } catch (failure) {
      setState({ busy: false, failure })
    }
  }

  return (
    <Dialog
      open
      wide
      title={t('Rerun from a step')}
      unsaved={!state.busy && Object.keys(edited).length > 0}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            look="primary"
            busy={state.busy}
            disabled={kept === null || isWrong}
            onClick={() => void rerun()}
          >
            {t('Rerun from {{refId}}', { refId: from })}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p className="text-muted">
          {t(
            'Earlier steps don’t run again. Their results below are reused. Edit them to try another case, and leave *** to keep a secret.',
          )}
        </p>
        <div className="grid grid-cols-3 gap-3">
          <Field label={t('Start at')}>
            <Select
              label={t('Start at')}
              value={from}
              onChange={setFrom}
              options={choices.map((ref) => ({ value: ref, label: ref }))}
            />
          </Field>
          <Field label={from === first ? t('Input of') : t('Result of')}>
            <Select
              label={from === first ? t('Input of') : t('Result of')}
              value={shown ?? ''}
              onChange={setChosen}
              options={earlier.map((ref) => ({
                value: ref,
                label: edited[ref] === undefined ? ref : t('{{refId}} (changed)', { refId: ref }),
              }))}
            />
          </Field>
          <Field label={t('Version')}>
            <Select
              label={t('Version')}
              value={version}
              onChange={setVersion}
              options={[
                { value: 'current', label: t('Latest') },
                { value: 'recorded', label: t('Version {{version}}', { version: run.flow_version }) },
              ]}
            />
          </Field>
        </div>
        {kept === null || shown === undefined ? null : (
          <Field label={t('Value')} error={problem}>
            <CodeField
              key={shown}
              language="json"
              label={t('Value of {{refId}}', { refId: shown })}
              value={text}
              onChange={(value) => setEdited((before) => ({ ...before, [shown]: value }))}
            />
          </Field>
        )}
        {state.failure === null ? null : (
          <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t start run')} />
        )}
      </div>
    </Dialog>
  )
}

function problemOf(text: string): string | undefined {
  try {
    parseJson(text)
    return undefined
  } catch (error) {
    return t('Invalid JSON: {{reason}}', { reason: (error as Error).message })
  }
}

/** The names of the steps that a run can start from, in order. Steps inside a loop run with their loop. */
function stepsToBeginWith(steps: readonly Pick<FlowRunStep, 'ref_id' | 'iteration'>[]): readonly string[] {
  return [...new Set(steps.filter(({ iteration }) => iteration.length === 0).map((step) => step.ref_id))]
}
