import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import {
  type HeldRequest,
  listWebhookHoldsRoute,
  releaseHeldRequestRoute,
  removeWebhookHoldRoute,
  setWebhookHoldRoute,
  type WebhookHold,
} from '../../../shared/contract/reach/webhook-holds.ts'
import { useFlowsByName } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { resource, useResource } from '../../api/resource.ts'
import { Hand } from '../../lib/icons.tsx'
import { t } from '../../lib/i18n.ts'
import { Button } from '../controls/button.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { Dialog } from '../screen/dialog.tsx'
import { announce, attempt } from '../screen/toast.tsx'
import { TimeLeft } from '../values/time.tsx'

const HOLDS = resource(listWebhookHoldsRoute, { nouns: ['webhook_hold'] })

/** Loaded when the first request is held. */
const HeldSheet = lazy(async () => ({ default: (await import('./held-sheet.tsx')).HeldSheet }))

/**
 * Holds the next request of a flow, and shows what is held.
 *
 * @param flowId without it, shows the held requests of all flows, and which flows hold requests
 */
export function Holds({ flowId }: { readonly flowId?: string | undefined }) {
  const { data } = useResource(HOLDS)
  const held = (data?.held ?? []).filter((one) => flowId === undefined || one.flow_id === flowId)
  return (
    <>
      {flowId === undefined ? <HoldsOfAll holds={data?.set ?? []} /> : <HoldSwitch flowId={flowId} />}
      <HeldRequests held={held} />
    </>
  )
}

/** Whether requests of a flow are held, and how to hold them. */
export function useHold(flowId: string) {
  const api = useApi()
  const { data } = useResource(HOLDS)
  const set = (what: 'next' | 'matching', filter = '') =>
    attempt(t('Couldn’t hold requests'), () =>
      api.call(setWebhookHoldRoute, { params: { id: flowId }, body: { what, filter } }),
    )
  return {
    hold: data?.set.find((one) => one.flow_id === flowId) ?? null,
    holdNext: () => void set('next'),
    holdMatching: (filter: string) => set('matching', filter),
  }
}

function HoldsOfAll({ holds }: { readonly holds: readonly WebhookHold[] }) {
  const flows = useFlowsByName()
  return holds.map((hold) => (
    <HoldBar key={hold.flow_id} hold={hold} name={flows.find(({ id }) => id === hold.flow_id)?.name} />
  ))
}

interface HoldBarProps {
  readonly hold: WebhookHold
  /** The flow's name, where it isn't clear which flow is meant. */
  readonly name?: string | undefined
}

function HoldBar({ hold, name }: HoldBarProps) {
  const api = useApi()
  const params = { id: hold.flow_id }
  const remove = () => attempt(t('Couldn’t end the hold'), () => api.call(removeWebhookHoldRoute, { params }))
  return (
    <div role="status" className="flex items-center gap-3 rounded bg-running-soft px-3 py-1.5 text-sm">
      <Hand size={14} aria-hidden className="shrink-0 text-running" />
      <span className="min-w-0 flex-1">
        {name === undefined ? null : <b className="font-medium">{name} · </b>}
        {hold.what === 'next'
          ? t('The next request is held, unless Millrace restarts first.')
          : t('Matching requests are held until Millrace restarts.')}
      </span>
      <Button className="h-6" needs={removeWebhookHoldRoute} onClick={() => void remove()}>
        {t('Stop holding')}
      </Button>
    </div>
  )
}

function HoldSwitch({ flowId }: { readonly flowId: string }) {
  const [asking, setAsking] = useState(false)
  const { hold, holdNext, holdMatching } = useHold(flowId)
  if (hold !== null) return <HoldBar hold={hold} />
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon={Hand} needs={setWebhookHoldRoute} onClick={holdNext}>
        {t('Hold the next request')}
      </Button>
      <Button look="quiet" needs={setWebhookHoldRoute} onClick={() => setAsking(true)}>
        {t('Hold matching requests…')}
      </Button>
      {asking ? <FilterDialog onHold={holdMatching} onClose={() => setAsking(false)} /> : null}
    </div>
  )
}

interface FilterDialogProps {
  readonly onHold: (filter: string) => Promise<unknown>
  readonly onClose: () => void
}

function FilterDialog({ onHold, onClose }: FilterDialogProps) {
  const [filter, setFilter] = useState('')
  const hold = async () => {
    await onHold(filter)
    onClose()
  }
  return (
    <Dialog
      open
      title={t('Hold matching requests')}
      onClose={onClose}
      onSubmit={hold}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button look="primary" onClick={() => void hold()}>
            {t('Hold')}
          </Button>
        </>
      }
    >
      <Field
        label={t('Condition')}
        optional
        hint={t(
          'A condition on the flow’s input and request, written as in the flow’s templates. Leave empty to hold every request.',
        )}
      >
        <TextInput
          mono
          value={filter}
          placeholder={'{{ webhook.headers["x-github-event"] == "push" }}'}
          onChange={setFilter}
        />
      </Field>
    </Dialog>
  )
}

/** The sheet opens automatically when a request is held, because its caller is waiting. */
function HeldRequests({ held }: { readonly held: readonly HeldRequest[] }) {
  const [closed, setClosed] = useState<readonly string[]>([])
  const decided = useRef(new Set<string>())
  const before = useRef<string | null>(null)
  const open = held.find(({ id }) => !closed.includes(id)) ?? null
  const openId = open?.id ?? null

  useEffect(() => {
    const earlier = before.current
    before.current = openId
    if (earlier === null || earlier === openId || closed.includes(earlier)) return
    if (!decided.current.has(earlier))
      announce(t('Nobody decided, so the held request was released unchanged'))
  }, [openId, closed])

  return (
    <>
      {held.map((one) => (
        <div key={one.id} className="flex items-center gap-3 rounded bg-running-soft px-3 py-1.5 text-sm">
          <Hand size={14} aria-hidden className="shrink-0 text-running" />
          <span className="min-w-0 flex-1 truncate">
            {t('{{method}} request is held', { method: one.method })} <TimeLeft until={one.releases_at} />
          </span>
          <Button
            className="h-6"
            needs={releaseHeldRequestRoute}
            onClick={() => setClosed(closed.filter((id) => id !== one.id))}
          >
            {t('Open held request')}
          </Button>
        </div>
      ))}
      {open === null ? null : (
        <Suspense>
          <HeldSheet
            key={open.id}
            request={open}
            onDecided={() => decided.current.add(open.id)}
            onClose={() => setClosed([...closed, open.id])}
          />
        </Suspense>
      )}
    </>
  )
}
