import { requestTrigger } from '../../../shared/request-trigger.ts'
import { useState } from 'react'
import type { Flow } from '../../../shared/contract/flows.ts'
import {
  replayWebhookRequestsRoute,
  type WebhookAttempt,
  type WebhookReplay,
} from '../../../shared/contract/reach/forwards.ts'
import type { ListedRequest } from '../../../shared/contract/webhooks.ts'
import { urlOfProgram } from '../../../shared/forwarding.ts'
import { forwardOf } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button, IconButton } from '../../components/controls/button.tsx'
import { Field, Switch, TextInput } from '../../components/controls/field.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { attempt } from '../../components/screen/toast.tsx'
import { formatDuration } from '../../lib/format.ts'
import { type English, english, t, translateMessage } from '../../lib/i18n.ts'
import { ChevronDown, CornerDownRight } from '../../lib/icons.tsx'
import { recall, remember } from '../../lib/remembered.ts'

interface SendAgainProps {
  readonly request: ListedRequest
  readonly flow: Flow
  readonly attempts: readonly WebhookAttempt[]
  /** Called once the program has answered. */
  readonly onSent: () => void
}

/** Sends the request to a program on this computer again, to the same port as last time or to another one. */
export function SendAgain({ request, flow, attempts, onSent }: SendAgainProps) {
  const api = useApi()
  const { data: state } = useResource(forwardOf(flow.id))
  const [used, setUsed] = useState<readonly string[]>(() => (recall(USED) ?? '').split(' ').filter(Boolean))
  const [isAsking, setIsAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const [replay, setReplay] = useState<WebhookReplay | null>(null)
  const isSigned = Boolean(requestTrigger(flow.steps)?.config['signature'])
  const urls = [attempts.findLast(({ url }) => url !== '')?.url, state?.forward?.url]
  const known = [...used, ...urls.flatMap((url) => (url === undefined ? [] : portOf(url)))]
  const places = [...new Set(known)].slice(0, MOST_PLACES)
  const [last] = places

  async function send(place: string, sign: boolean) {
    setBusy(true)
    try {
      const to = /^\d+$/.test(place) ? Number(place) : urlOfProgram(place)
      const body = { to, ids: [request.id], sign }
      for await (const one of api.stream(replayWebhookRequestsRoute, { body })) setReplay(one)
      const next = [place, ...used.filter((one) => one !== place)].slice(0, MOST_PLACES)
      setUsed(next)
      remember(USED, next.join(' '))
      onSent()
    } finally {
      setBusy(false)
    }
  }
  const sendTo = (place: string) => void attempt(t('Couldn’t send request'), () => send(place, isSigned))
  const start = () => (last === undefined ? setIsAsking(true) : sendTo(last))
  useShortcut(
    {
      keys: 's',
      label: t('Send request to a local program again'),
      group: t('Webhooks'),
      needs: replayWebhookRequestsRoute,
    },
    start,
    !busy,
  )
  return (
    <>
      <span className="ml-2.5 flex items-center">
        <Button icon={CornerDownRight} needs={replayWebhookRequestsRoute} busy={busy} onClick={start}>
          {last === undefined
            ? t('Send again to a port…')
            : t('Send again to {{place}}', { place: shown(last) })}
          <kbd aria-hidden className="ml-1 text-code text-faint">
            s
          </kbd>
        </Button>
        <Menu
          trigger={<IconButton label={t('Send again elsewhere')} icon={ChevronDown} />}
          align="start"
          groups={[
            places.slice(1).map((place) => ({
              label: t('Send again to {{place}}', { place: shown(place) }),
              needs: replayWebhookRequestsRoute,
              onSelect: () => sendTo(place),
            })),
            [
              {
                label: t('Another port…'),
                needs: replayWebhookRequestsRoute,
                onSelect: () => setIsAsking(true),
              },
            ],
          ].filter((items) => items.length > 0)}
        />
      </span>
      <div aria-live="polite" className="w-full px-2.5 empty:hidden">
        {replay === null ? null : <Outcome replay={replay} />}
      </div>
      {isAsking ? (
        <PortDialog
          canSign={isSigned}
          onSend={send}
          initial={last ?? ''}
          onClose={() => setIsAsking(false)}
        />
      ) : null}
    </>
  )
}

const USED = 'replay to'
const MOST_PLACES = 5

const shown = (place: string) => (/^\d+$/.test(place) ? `:${place}` : place)

/** Only the port, because the program keeps the path that the request was last sent to. */
function portOf(url: string): readonly string[] {
  const port = URL.canParse(url) ? new URL(url).port : ''
  return port === '' ? [] : [port]
}

const BODIES: { readonly [B in WebhookReplay['body']]: English | null } = {
  same: english('Same body as the first response.'),
  different: english('Body differs from the first response.'),
  unknown: null,
}

function Outcome({
  replay: { attempt: sent, reason, body, is_signed: isSigned, ...said },
}: {
  readonly replay: WebhookReplay
}) {
  if (sent === null) return <p className="text-error">{translateMessage(reason ?? '', said)}</p>
  if (sent.error !== null) return <p className="text-error">{translateMessage(sent.error, sent)}</p>
  const compared = BODIES[body]
  return (
    <p className={sent.status !== null && sent.status < 400 ? 'text-success' : 'text-error'}>
      {t('The program returned {{status}} in {{time}}.', {
        status: sent.status ?? '',
        time: formatDuration(sent.duration_ms),
      })}{' '}
      {compared === null ? '' : t(compared)} {isSigned ? t('Signed again.') : ''}
    </p>
  )
}

interface PortDialogProps {
  readonly initial: string
  /** Whether the secret that signs requests of the flow is known. */
  readonly canSign: boolean
  readonly onSend: (place: string, sign: boolean) => Promise<void>
  readonly onClose: () => void
}

function PortDialog({ initial, canSign, onSend, onClose }: PortDialogProps) {
  const [place, setPlace] = useState(initial)
  const [sign, setSign] = useState(canSign)
  return (
    <SaveDialog
      title={t('Send again to a local program')}
      action={t('Send request')}
      failed={t('Couldn’t send request')}
      saved={t('Request sent')}
      onSave={() => onSend(place.trim(), sign)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label={t('URL or port')}
            hint={t('With a port, the path is the one the request was last sent to.')}
            error={errors['to']?.[0]}
          >
            <TextInput mono required value={place} placeholder="3000" onChange={setPlace} />
          </Field>
          {canSign ? (
            <Switch
              label={t('Sign again')}
              hint={t('Signs with the current time because services reject signatures that are minutes old.')}
              checked={sign}
              onChange={setSign}
            />
          ) : null}
        </>
      )}
    </SaveDialog>
  )
}
