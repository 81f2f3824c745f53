import { usualTrigger } from '../../../../shared/contract/step-types/index.ts'
import { HTTP_TRIGGERS } from '../../../../shared/contract/flow-runs.ts'
import { useState } from 'react'
import { parseJson } from '../../../lib/json.ts'
import { TextArea } from '../../../components/controls/field.tsx'
import { Select } from '../../../components/controls/select.tsx'
import { stateWord } from '../../../components/values/status-badge.tsx'
import { attempt } from '../../../components/screen/toast.tsx'
import { startOf } from '../../../components/runs/trigger-words.ts'
import { formatClock } from '../../../lib/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useAssist, useEditor, useRunPanel } from '../state/editor-context.tsx'

const NEWEST = 'newest'
const TYPED = 'typed'

/** The source of the values in the tree and the preview: a run, a request, or typed values. */
export function DataSourceSelect() {
  const hasRun = useRunPanel((state) => state.run !== null)
  const runs = useRunPanel((state) => state.recent)
  const runChosen = useRunPanel((state) => state.runChosen)
  const inputOf = useRunPanel((state) => state.inputOf)
  const sourceChosen = useAssist((state) => state.sourceChosen)
  const [chosen, setChosen] = useState<string>(NEWEST)

  async function choose(value: string) {
    const [kind, runId = ''] = value.split(':')
    setChosen(value)
    if (value === TYPED) sourceChosen({ kind: 'typed', text: '{}', values: {} })
    else if (kind === 'request') sourceChosen({ kind: 'request', runId, input: await inputOf(runId) })
    else {
      runChosen(kind === 'run' ? runId : null)
      sourceChosen({ kind: 'run' })
    }
  }

  return (
    <Select
      label={t('Values to show')}
      className={hasRun ? 'w-36 shrink' : 'w-44 shrink'}
      value={chosen}
      onChange={(value) => void attempt(t('Couldn’t read the request'), () => choose(value))}
      options={[
        { value: NEWEST, label: hasRun ? t('Latest run') : t('Latest run (none yet)') },
        ...runs.map((run) => ({
          value: `run:${run.id}`,
          label: t('Run from {{clock}}', { clock: formatClock(Date.parse(run.created_at)) }),
          hint: `${startOf(run)}, ${stateWord(run.status)}`,
        })),
        ...runs
          .filter((run) => HTTP_TRIGGERS.includes(run.trigger))
          .slice(0, 5)
          .map((run) => ({
            value: `request:${run.id}`,
            label: t('Request from {{clock}}', { clock: formatClock(Date.parse(run.created_at)) }),
            hint: t('request input, with the latest run’s results'),
          })),
        {
          value: TYPED,
          label: t('Custom JSON'),
          hint: t('overrides step results'),
        },
      ]}
    />
  )
}

/** Typed results of steps, instead of those of a run. */
export function TypedValues() {
  const source = useAssist((state) => state.source)
  return source.kind === 'typed' ? <TypedText text={source.text} /> : null
}

function TypedText({ text }: { readonly text: string }) {
  const trigger = useEditor((state) => usualTrigger(state.history?.present.steps ?? [])?.ref_id) ?? 'web1'
  const sourceChosen = useAssist((state) => state.sourceChosen)
  const [draft, setDraft] = useState(text)
  const values = readValues(draft)
  return (
    <div className="flex shrink-0 flex-col gap-1 border-b border-line p-2">
      <TextArea
        mono
        rows={3}
        value={draft}
        aria-label={t('Custom values')}
        aria-invalid={values === null}
        placeholder={`{"${trigger}": {"name": "Ada"}}`}
        onChange={(next) => {
          setDraft(next)
          const read = readValues(next)
          if (read !== null) sourceChosen({ kind: 'typed', text: next, values: read })
        }}
      />
      {values === null ? (
        <p className="text-error">
          {t('A JSON object of step results, for example {{example}}.', { example: `{"${trigger}": {}}` })}
        </p>
      ) : null}
    </div>
  )
}

function readValues(text: string): Record<string, unknown> | null {
  try {
    const value = text.trim() === '' ? {} : parseJson(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
