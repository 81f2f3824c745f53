import { useState } from 'react'
import type { FlowSample } from '../../../../shared/contract/flow-samples.ts'
import { isStepType } from '../../../../shared/contract/step-types/index.ts'
import { asAppError } from '../../../api/failure.ts'
import { FLOW_SAMPLES } from '../../../api/lists.ts'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../../components/screen/error-notice.tsx'
import { TextInput } from '../../../components/controls/field.tsx'
import { usePlantSample } from '../../../components/services/plant-sample.ts'
import { t, translateSampleText } from '../../../lib/i18n.ts'
import { STEP_FACES } from '../step-types/index.ts'

/** Flows that come with Millrace, each with what it teaches; copying one makes it the user's own. */
export function SamplesDialog({ onClose }: { readonly onClose: () => void }) {
  const plant = usePlantSample()
  const { data: samples, failure: unread } = useResource(FLOW_SAMPLES)
  const [search, setSearch] = useState('')
  const [busy, setBusy] = useState<string>()
  const [refusal, setRefusal] = useState<unknown>(null)
  const failure = refusal ?? unread

  async function use(sample: FlowSample) {
    setBusy(sample.id)
    try {
      await plant(sample)
    } catch (error) {
      setRefusal(error)
      setBusy(undefined)
    }
  }

  const shown = (samples ?? []).filter((sample) => matches(sample, search))
  return (
    <Dialog open wide title={t('New flow from a sample')} onClose={onClose}>
      <div className="flex flex-col gap-3">
        <TextInput
          type="search"
          aria-label={t('Search samples')}
          placeholder={t('Search')}
          value={search}
          onChange={setSearch}
        />
        {failure === null ? null : (
          <ErrorNotice error={asAppError(failure)} title={t('Couldn’t use sample')} />
        )}
        <ul aria-label={t('Samples')} className="flex flex-col divide-y divide-line">
          {shown.map((sample) => (
            <li key={sample.id} className="flex items-start gap-4 py-3">
              <div className="min-w-0 flex-1">
                <h3 className="font-semibold">{translateSampleText(sample.name)}</h3>
                <p>{translateSampleText(sample.description)}</p>
                <p className="text-muted">{translateSampleText(sample.teaches)}</p>
                <p className="pt-1 text-faint">{sample.step_types.map(labelOf).join(' · ')}</p>
              </div>
              <Button
                busy={busy === sample.id}
                disabled={busy !== undefined}
                aria-label={t('Use sample {{name}}', { name: translateSampleText(sample.name) })}
                onClick={() => void use(sample)}
              >
                {t('Use sample')}
              </Button>
            </li>
          ))}
        </ul>
        {samples !== null && shown.length === 0 ? (
          <p className="text-muted">{t('No samples match')}</p>
        ) : null}
      </div>
    </Dialog>
  )
}

function labelOf(type: string): string {
  return isStepType(type) ? t(STEP_FACES[type].label) : type
}

function matches({ name, description, teaches, step_types: types }: FlowSample, search: string): boolean {
  const texts = [name, description, teaches]
  const text = [...texts, ...texts.map(translateSampleText), ...types, ...types.map(labelOf)]
    .join(' ')
    .toLowerCase()
  return search
    .toLowerCase()
    .split(' ')
    .every((part) => text.includes(part))
}
