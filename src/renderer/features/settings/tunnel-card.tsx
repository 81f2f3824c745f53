import { requestTrigger } from '../../../shared/request-trigger.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  startTunnelRoute,
  TUNNEL_PROVIDERS,
  updateTunnelRoute,
} from '../../../shared/contract/reach/tunnel.ts'
import type {
  Tunnel,
  TunnelChange,
  TunnelProviderName,
  TunnelSecret,
} from '../../../shared/contract/reach/tunnel.ts'
import { asAppError, fieldsOf } from '../../api/failure.ts'
import { FLOWS, forwardOf, TUNNEL } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { Field, TextArea, TextInput } from '../../components/controls/field.tsx'
import { Select } from '../../components/controls/select.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Card } from '../../components/screen/page.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { TunnelSwitch } from '../../components/tunnel/tunnel-switch.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { Time } from '../../components/values/time.tsx'
import type { English } from '../../lib/i18n.ts'
import { english, t, translateHint, translateMessage } from '../../lib/i18n.ts'
import { Form } from '../../components/controls/form.tsx'

/** The public URL: its state, its reachable flows and its configuration. */
export function TunnelCard() {
  const { data: tunnel } = useResource(TUNNEL)
  const [isOpen, setIsOpen] = useState(false)
  if (tunnel === null) return null
  return (
    <Card stacked title={t('Tunnel')} aside={<TunnelSwitch bare />}>
      <State tunnel={tunnel} />
      {tunnel.state === 'on' ? <Exposed tunnel={tunnel} /> : null}
      {isOpen ? (
        <TunnelForm tunnel={tunnel} onClose={() => setIsOpen(false)} />
      ) : (
        <Button className="self-start" onClick={() => setIsOpen(true)}>
          {t('Set up tunnel')}
        </Button>
      )}
    </Card>
  )
}

function State({ tunnel }: { readonly tunnel: Tunnel }) {
  const { state, public_url: url, problem, test, ends_at: endsAt, retry_at: retryAt, copies } = tunnel
  if (state === 'off')
    return (
      <p className="text-muted">
        {t(
          'Off. A tunnel gives your webhooks a public URL, and each of them can forward its requests to your local app. Nothing else becomes reachable.',
        )}
      </p>
    )
  return (
    <div role="status" className="flex flex-col gap-1">
      {state === 'starting' ? <p>{t('Turning on…')}</p> : null}
      {url === null ? null : (
        <p className="flex min-w-0 items-center gap-1">
          <code className="min-w-0 truncate text-code">{url}</code>
          <CopyIcon label={t('Copy tunnel URL')} text={url} />
        </p>
      )}
      {problem === null ? null : (
        <>
          <p className="text-error">{translateMessage(problem.message, problem)}</p>
          <p>{translateHint(problem.hint, problem)}</p>
        </>
      )}
      {retryAt === null ? null : (
        <p className="text-muted">
          {t('Next try:')} <Time at={retryAt} />
        </p>
      )}
      {state === 'on' && test.answered_at !== null ? (
        <p className="text-muted">
          {t('Last response:')} <Time at={test.answered_at} />
        </p>
      ) : null}
      {state === 'on' && test.message !== null ? (
        <p className="text-retrying">
          {t('The test through the public URL failed: {{reason}}', {
            reason: translateMessage(test.message, test),
          })}
        </p>
      ) : null}
      {endsAt === null ? null : (
        <p className="text-muted">
          {t('Turns off:')} <Time at={endsAt} />
        </p>
      )}
      {copies.message === null ? null : (
        <p className="text-retrying">
          {t('The latest copy failed: {{reason}}', { reason: translateMessage(copies.message, copies) })}
        </p>
      )}
    </div>
  )
}

function Exposed({ tunnel: { exposed } }: { readonly tunnel: Tunnel }) {
  if (exposed.length === 0) return <p className="text-muted">{t('No flow has a webhook yet.')}</p>
  return (
    <section aria-label={t('Reachable flows')} className="flex flex-col gap-1">
      <h3 className="font-medium">{t('Reachable flows')}</h3>
      <ul>
        {exposed.map(({ flow_id: flowId, name, protection }) => (
          <li key={flowId} className="flex min-w-0 items-baseline gap-2">
            <Link
              to="/flows/$flowId"
              params={{ flowId }}
              className="min-w-0 truncate rounded-sm text-accent-text hover:underline"
            >
              {name}
            </Link>
            <span className={protection.length === 0 ? 'text-sm text-retrying' : 'text-sm text-muted'}>
              {protection.length === 0
                ? t('open to anyone who knows the URL')
                : protection.map((one) => (one === 'token' ? t('token') : t('signature'))).join(', ')}
            </span>
            <ForwardLink flowId={flowId} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The local program that a flow's requests are forwarded to, or a link to the switch for that. */
function ForwardLink({ flowId }: { readonly flowId: string }) {
  const { data: state } = useResource(forwardOf(flowId))
  const { data: flows } = useResource(FLOWS)
  const step = requestTrigger(flows?.find(({ id }) => id === flowId)?.steps ?? [])?.ref_id
  if (state === null) return null
  const { forward } = state
  return (
    <Link
      to="/flows/$flowId"
      params={{ flowId }}
      {...(step === undefined ? {} : { search: { step } })}
      className="ml-auto min-w-0 truncate rounded-sm text-sm text-accent-text hover:underline"
    >
      {forward?.enabled === true
        ? t('forwards to {{url}}', { url: forward.url })
        : t('Forward to a local program…')}
    </Link>
  )
}

const PROVIDERS: { readonly [P in TunnelProviderName]: { readonly label: English; readonly hint: English } } =
  {
    cloudflared: { label: english('Cloudflare'), hint: english('The program cloudflared on this computer') },
    ngrok: { label: english('ngrok'), hint: english('With your account’s authtoken') },
    ssh: {
      label: english('SSH server'),
      hint: english('Remote forwarding, on your own server or a service'),
    },
    own: { label: english('Own proxy'), hint: english('A URL that already leads to this computer') },
  }

const OFF_AFTER: readonly { readonly minutes: number | null; readonly label: English }[] = [
  { minutes: null, label: english('Never') },
  { minutes: 60, label: english('After 1 hour') },
  { minutes: 480, label: english('After 8 hours') },
  { minutes: 1440, label: english('After 1 day') },
]

function TunnelForm({ tunnel, onClose }: { readonly tunnel: Tunnel; readonly onClose: () => void }) {
  const api = useApi()
  const { after } = useResource(TUNNEL)
  const [changes, setChanges] = useState<TunnelChange>({})
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const shown = { ...tunnel.settings, ...changes } as Tunnel['settings']
  const failure = state.failure === null ? null : asAppError(state.failure)
  const errors = fieldsOf(failure)
  const set = (change: TunnelChange) => setChanges((before) => ({ ...before, ...change }))
  const form: FormParts = { shown, secrets: tunnel.secrets, changes, errors, set }

  async function save() {
    setState({ busy: true, failure: null })
    try {
      const route = tunnel.state === 'off' ? startTunnelRoute : updateTunnelRoute
      await after(api.call(route, { body: changes }))
      announce(t('Tunnel saved'))
      setState({ busy: false, failure: null })
      setChanges({})
      onClose()
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }

  return (
    <Form className="flex flex-col gap-4" onSubmit={save}>
      {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t save tunnel')} />}
      <Field label={t('Provider')} className="max-w-80">
        <Select
          value={shown.provider}
          onChange={(provider) => set({ provider })}
          options={TUNNEL_PROVIDERS.map((value) => ({
            value,
            label: t(PROVIDERS[value].label),
            hint: t(PROVIDERS[value].hint),
          }))}
        />
      </Field>
      {shown.provider === 'cloudflared' ? <Cloudflared {...form} /> : null}
      {shown.provider === 'ngrok' ? <Ngrok {...form} /> : null}
      {shown.provider === 'ssh' ? <Ssh {...form} offered={tunnel.offered_host_key} /> : null}
      {shown.provider === 'own' ? <Own {...form} /> : null}
      <div className="flex flex-wrap gap-4">
        <Field label={t('Turn off')} className="w-48">
          <Select
            value={String(shown.off_after_minutes)}
            onChange={(minutes) => set({ off_after_minutes: minutes === 'null' ? null : Number(minutes) })}
            options={OFF_AFTER.map(({ minutes, label }) => ({ value: String(minutes), label: t(label) }))}
          />
        </Field>
        <NumberInput {...form} name="local_port" label={t('Local port')} />
        {tunnel.settings.copy_port === null ? null : (
          <NumberInput
            {...form}
            name="copy_port"
            label={t('Copy requests to port')}
            hint={t(
              'A local program gets a copy of each request. To return its response, use “Forward to a local program” in the webhook step.',
            )}
          />
        )}
      </div>
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={state.busy}>
          {tunnel.state === 'off' ? t('Save and turn on') : t('Save tunnel')}
        </Button>
        <Button onClick={onClose}>{t('Cancel')}</Button>
      </div>
    </Form>
  )
}

interface FormParts {
  readonly shown: Tunnel['settings']
  readonly secrets: Tunnel['secrets']
  readonly changes: TunnelChange
  readonly errors: Readonly<Record<string, readonly string[] | undefined>>
  readonly set: (change: TunnelChange) => void
}

function Cloudflared(form: FormParts) {
  return (
    <>
      <Secret
        {...form}
        name="cloudflared_token"
        label={t('Tunnel token')}
        hint={t('Needed for a named tunnel. Without it, the URL changes at each start.')}
      />
      <Text
        {...form}
        name="cloudflared_url"
        label={t('URL of the named tunnel')}
        hint={t('At Cloudflare, point it to http://localhost and the local port below.')}
      />
    </>
  )
}

function Ngrok(form: FormParts) {
  return (
    <>
      <Secret
        {...form}
        name="ngrok_token"
        label={t('Authtoken')}
        hint={t('Copy it from the ngrok dashboard.')}
      />
      <Text {...form} name="ngrok_domain" label={t('Domain')} />
    </>
  )
}

function Ssh({ offered, ...form }: FormParts & { readonly offered: string | null }) {
  const { shown, set } = form
  return (
    <>
      <div className="flex flex-wrap gap-4">
        <Text {...form} name="ssh_host" label={t('SSH host')} isRequired className="w-64" />
        <NumberInput {...form} name="ssh_port" label={t('SSH port')} />
        <Text {...form} name="ssh_username" label={t('SSH user')} isRequired className="w-48" />
      </div>
      <Secret {...form} name="ssh_private_key" label={t('SSH private key')} isLong />
      <div className="flex flex-wrap gap-4">
        <Secret {...form} name="ssh_passphrase" label={t('Passphrase of the key')} />
        <Secret {...form} name="ssh_password" label={t('SSH password')} />
      </div>
      {offered === null || offered === shown.ssh_host_key ? null : (
        <div className="flex flex-col items-start gap-2 rounded border border-line bg-sunken p-3">
          <p>
            {t('The server presented this host key. Compare it with the one that its operator publishes.')}
            <br />
            <code className="text-code break-all">{offered}</code>
          </p>
          <Button onClick={() => set({ ssh_host_key: offered })}>{t('Accept host key')}</Button>
        </div>
      )}
      {shown.ssh_host_key === null ? null : (
        <p className="text-muted">
          {t('Accepted host key:')} <code className="break-all">{shown.ssh_host_key}</code>
        </p>
      )}
      <div className="flex flex-wrap gap-4">
        <Text {...form} name="ssh_bind_address" label={t('Remote address')} isRequired className="w-48" />
        <NumberInput
          {...form}
          name="ssh_bind_port"
          label={t('Remote port')}
          hint={t('0 lets the server choose one')}
        />
      </div>
      <Text
        {...form}
        name="ssh_url"
        label={t('URL of the remote port')}
        hint={t(
          '{port} is replaced with the port number. Leave empty to use the URL that the server prints after login, as localhost.run does.',
        )}
      />
    </>
  )
}

function Own(form: FormParts) {
  return (
    <>
      <Text
        {...form}
        name="own_url"
        label={t('URL of your proxy')}
        hint={t('Point it to the local port below.')}
      />
      <Text
        {...form}
        name="own_header"
        label={t('Header with the caller’s IP address')}
        hint={t('For example x-forwarded-for. Without it, all callers share one rate limit.')}
      />
    </>
  )
}

type TextName =
  | 'cloudflared_url'
  | 'ngrok_domain'
  | 'ssh_host'
  | 'ssh_username'
  | 'ssh_bind_address'
  | 'ssh_url'
  | 'own_url'
  | 'own_header'

interface ControlProps extends FormParts {
  readonly label: string
  readonly hint?: string | undefined
  readonly className?: string
}

/** @param isRequired an empty text stays a text; otherwise it means no value */
function Text({
  shown,
  errors,
  set,
  name,
  isRequired = false,
  changes: _changes,
  secrets: _secrets,
  ...field
}: ControlProps & { readonly name: TextName; readonly isRequired?: boolean }) {
  return (
    <Field {...field} error={errors[name]?.[0]} optional={!isRequired}>
      <TextInput
        mono
        value={shown[name] ?? ''}
        onChange={(text) => set({ [name]: text.trim() === '' && !isRequired ? null : text.trim() })}
      />
    </Field>
  )
}

function NumberInput({
  shown,
  errors,
  set,
  name,
  label,
  hint,
}: ControlProps & { readonly name: 'local_port' | 'copy_port' | 'ssh_port' | 'ssh_bind_port' }) {
  const value = shown[name]
  const isOptional = name === 'local_port' || name === 'copy_port'
  return (
    <Field label={label} hint={hint} error={errors[name]?.[0]} optional={isOptional} className="w-48">
      <TextInput
        inputMode="numeric"
        value={value === null ? '' : String(value)}
        onChange={(text) => {
          const digits = text.replace(/\D/g, '').slice(0, 5)
          set({ [name]: digits === '' && isOptional ? null : Number(digits) })
        }}
      />
    </Field>
  )
}

/** Stored secrets are never shown; entered ones replace them. */
function Secret({
  secrets,
  changes,
  errors,
  set,
  name,
  isLong = false,
  label,
  hint,
}: ControlProps & { readonly name: TunnelSecret; readonly isLong?: boolean }) {
  const value = changes[name] ?? ''
  const placeholder = secrets[name] === true && changes[name] === undefined ? t('stored') : ''
  const onChange = (text: string) => set({ [name]: text === '' ? null : text })
  return (
    <Field label={label} hint={hint} error={errors[name]?.[0]} optional>
      {isLong ? (
        <TextArea mono value={value} placeholder={placeholder} onChange={onChange} />
      ) : (
        <TextInput type="password" value={value} placeholder={placeholder} onChange={onChange} />
      )}
    </Field>
  )
}
