import { useState } from 'react'
import {
  type Forward,
  RESPONDERS,
  type Responder,
  updateForwardRoute,
} from '../../../../shared/contract/reach/forwards.ts'
import { urlOfProgram } from '../../../../shared/forwarding.ts'
import { forwardOf } from '../../../api/lists.ts'
import { useApi } from '../../../api/provider.tsx'
import { useResource } from '../../../api/resource.ts'
import { Button } from '../../../components/controls/button.tsx'
import { Field, Switch, TextInput } from '../../../components/controls/field.tsx'
import { useRefusal } from '../../../components/controls/needs.ts'
import { Select } from '../../../components/controls/select.tsx'
import { SaveDialog } from '../../../components/screen/save-dialog.tsx'
import { attempt } from '../../../components/screen/toast.tsx'
import { Time } from '../../../components/values/time.tsx'
import { formatDuration } from '../../../lib/format.ts'
import { type English, english, t, translateMessage } from '../../../lib/i18n.ts'
import { CornerDownRight } from '../../../lib/icons.tsx'
import { latestRequestsOf } from './latest-requests.ts'
import { LetThrough } from './let-through.tsx'

/** Whether requests of the flow are forwarded to a local program, and the result of the latest one. */
export function ForwardCard({ flowId }: { readonly flowId: string }) {
  const api = useApi()
  const { data: state, after } = useResource(forwardOf(flowId))
  const [isOpen, setIsOpen] = useState(false)
  const refused = useRefusal(updateForwardRoute) !== null
  const forward = state?.forward ?? null
  if (state === null) return null
  const save = (body: Partial<Forward> & Pick<Forward, 'url'>) =>
    after(api.call(updateForwardRoute, { params: { id: flowId }, body }))
  return (
    <section aria-label={t('Forwarding')} className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-2">
        {forward === null ? null : (
          <Switch
            label={t('Forward to a local program')}
            hint={<code className="text-code break-all">{forward.url}</code>}
            checked={forward.enabled}
            disabled={refused}
            onChange={(enabled) =>
              void attempt(t('Couldn’t save forwarding'), () => save({ ...forward, enabled }))
            }
          />
        )}
        {/* The button is the same before and after, so that it gets the focus back once the dialog closes. */}
        <Button
          needs={updateForwardRoute}
          onClick={() => setIsOpen(true)}
          {...(forward === null && { icon: CornerDownRight })}
        >
          {forward === null ? t('Forward to a local program…') : t('Edit forwarding')}
        </Button>
      </div>
      {forward === null ? null : <LatestAttempt flowId={flowId} />}
      {state.waiting === 0 ? null : (
        <p className="text-retrying">
          {t('Waiting until the program listens: {{count}}', { count: state.waiting })}
        </p>
      )}
      {isOpen ? (
        <ForwardDialog flowId={flowId} forward={forward} onSave={save} onClose={() => setIsOpen(false)} />
      ) : null}
    </section>
  )
}

function LatestAttempt({ flowId }: { readonly flowId: string }) {
  const { data: requests } = useResource(latestRequestsOf(flowId))
  const latest = requests?.find(({ forwarded }) => forwarded !== null)
  if (!latest?.forwarded) return null
  const { status, duration_ms: duration, error } = latest.forwarded
  return (
    <p className={error === null && (status ?? 500) < 400 ? 'text-muted' : 'text-error'}>
      {error === null
        ? t('The program returned {{status}} in {{time}}', {
            status: status ?? '',
            time: formatDuration(duration),
          })
        : translateMessage(error, latest.forwarded)}
      {' · '}
      <Time at={latest.at} />
    </p>
  )
}

const ANSWERS: { readonly [R in Responder]: English } = {
  program: english('From the program'),
  flow: english('From the flow'),
  first: english('From whichever responds first'),
  fixed: english('Always 200, or as set through the API'),
}

interface ForwardDialogProps {
  readonly flowId: string
  readonly forward: Forward | null
  readonly onSave: (forward: Partial<Forward> & Pick<Forward, 'url'>) => Promise<unknown>
  readonly onClose: () => void
}

function ForwardDialog({ flowId, forward, onSave, onClose }: ForwardDialogProps) {
  const [url, setUrl] = useState(forward?.url ?? '')
  const [respond, setRespond] = useState(forward?.respond ?? 'program')
  const [filter, setFilter] = useState(forward?.filter ?? '')
  const [keeps, setKeeps] = useState(forward?.keep_when_closed ?? false)
  return (
    <SaveDialog
      title={t('Forward to a local program')}
      action={t('Save forwarding')}
      failed={t('Couldn’t save forwarding')}
      saved={t('Forwarding saved')}
      onSave={async () => {
        await onSave({
          ...forward,
          url: urlOfProgram(url),
          respond,
          filter: filter.trim() === '' ? null : filter,
          keep_when_closed: keeps,
          enabled: true,
        })
      }}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label={t('URL or port')}
            hint={t('The program on this computer gets each request byte for byte.')}
            error={errors['url']?.[0]}
          >
            <TextInput mono required value={url} placeholder="3000" onChange={setUrl} />
          </Field>
          <Field label={t('Response to the caller')} error={errors['respond']?.[0]}>
            <Select
              value={respond}
              onChange={setRespond}
              options={RESPONDERS.map((value) => ({ value, label: t(ANSWERS[value]) }))}
            />
          </Field>
          <Field
            label={t('Only requests that meet this condition')}
            optional
            hint={t(
              'Enter a condition, written as in the flow’s templates. Leave empty to accept every request.',
            )}
            error={errors['filter']?.[0]}
          >
            <TextInput
              mono
              value={filter}
              placeholder={'{{ web1.type == "invoice.paid" }}'}
              onChange={setFilter}
            />
          </Field>
          <LetThrough flowId={flowId} condition={filter} />
          <Switch
            label={t('Keep requests while nobody listens')}
            hint={t('They are sent in order once the port opens, if that happens within 24 hours.')}
            checked={keeps}
            onChange={setKeeps}
          />
        </>
      )}
    </SaveDialog>
  )
}
