import { CircleCheck, ExternalLink, LogIn } from '../../lib/icons.tsx'
import { type ReactNode, useState } from 'react'
import { type ConnectorAuth, updateConnectorAuthRoute } from '../../../shared/contract/connector-auths.ts'
import type { Connector } from '../../../shared/contract/connectors.ts'
import { isLoopbackHost } from '../../../shared/forwarding.ts'
import { providerOf, redirectUrlOf } from '../../../shared/sign-in/index.ts'
import { asAppError } from '../../api/failure.ts'
import { t, translateConnectorText, translateMessage } from '../../lib/i18n.ts'
import { safeHref } from '../../lib/urls.ts'
import { readAuthFields } from '../../lib/schema-fields.ts'
import { Trans } from '../../lib/trans.tsx'
import { Button } from '../controls/button.tsx'
import { Field, TextInput } from '../controls/field.tsx'
import { Select } from '../controls/select.tsx'
import { SchemaForm } from '../schema-form/schema-form.tsx'
import { ErrorNotice } from '../screen/error-notice.tsx'
import { Card } from '../screen/page.tsx'
import { CopyIcon } from '../values/copy-button.tsx'
import { useSignIn } from './auths.ts'
import { type Guide, type GuidePart, GUIDES, type GuideStep } from './sign-in-guides.ts'
import { SignInWaiting } from './sign-in-waiting.tsx'
import { TestOutcome } from './trial.tsx'

interface SignInGuideProps {
  readonly connector: Connector
  /** Absent until it is stored. */
  readonly auth: ConnectorAuth | undefined
  readonly input: Readonly<Record<string, unknown>>
  readonly onChange: (input: Readonly<Record<string, unknown>>) => void
  /** Stores the input, since the sign-in uses the stored values. Null if that failed. */
  readonly keep: () => Promise<ConnectorAuth | null>
}

/** Guides the user through creating their own app at a provider and signing in with it, in six steps. */
export function SignInGuide(props: SignInGuideProps) {
  const { connector, auth } = props
  const provider = providerOf(connector)
  const guide = GUIDES[provider?.id ?? '']
  const [unfolded, setUnfolded] = useState(auth?.state !== 'ok')
  if (provider === null || guide === undefined) return null
  const last = guide.steps.length - 1
  const steps = guide.steps.map((step, at) => (
    <li key={at} className="flex min-w-0 gap-3">
      <span
        aria-hidden
        className="tabular grid size-6 shrink-0 place-items-center rounded-full bg-hover text-sm font-semibold"
      >
        {at + 1}
      </span>
      <section className="flex min-w-0 grow flex-col gap-3 pt-0.5">
        <Step {...props} guide={guide} step={step} />
        {at === last ? <SignIn {...props} /> : null}
      </section>
    </li>
  ))
  return (
    <Card title={t('Sign in with {{provider}} in six steps', { provider: provider.name })}>
      <div data-help="google-and-microsoft" className="flex flex-col gap-4 p-4">
        <p className="text-muted">
          {t(
            'You sign in with your own app at {{provider}}. Creating it takes about ten minutes, costs nothing and is needed only once. Nobody else can use the app.',
            { provider: provider.name },
          )}
        </p>
        <ol className="flex flex-col gap-5">{unfolded ? steps : steps.slice(last)}</ol>
        {unfolded ? null : (
          <Button look="quiet" className="self-start" aria-expanded={false} onClick={() => setUnfolded(true)}>
            {t('Show all steps')}
          </Button>
        )}
      </div>
    </Card>
  )
}

type StepProps = SignInGuideProps & { readonly guide: Guide; readonly step: GuideStep }

const isOutside = () => !isLoopbackHost(location.host)

function Step({ guide, step, ...props }: StepProps) {
  const { auth_config: config } = props.connector
  const url = step.url?.replace('{api}', typeof config['api'] === 'string' ? config['api'] : '')
  const lines = isOutside() ? (step.outside ?? step.lines) : step.lines
  return (
    <>
      <h3 className="font-semibold">{t(step.title)}</h3>
      {url === undefined ? null : (
        <p className="flex min-w-0 items-center gap-1.5">
          <a
            href={safeHref(url)}
            target="_blank"
            rel="noopener noreferrer"
            className="inline-flex min-w-0 items-center gap-1 text-accent-text underline"
          >
            <span className="min-w-0 break-all">{url}</span>
            <ExternalLink size={12} aria-hidden className="shrink-0" />
          </a>
          <CopyIcon label={t('Copy URL')} text={url} />
        </p>
      )}
      {lines.map((line, at) => (
        <p key={at} className="max-w-prose">
          <Trans text={line} parts={{ b: <strong /> }} />
        </p>
      ))}
      {step.parts?.map((part) => (
        <Part key={part} part={part} guide={guide} {...props} />
      ))}
    </>
  )
}

function Part({ part, guide, ...props }: SignInGuideProps & { part: GuidePart; guide: Guide }): ReactNode {
  const { connector, input, onChange } = props
  const set = (key: string, value: string) => {
    const { [key]: _before, ...others } = input
    onChange(value === '' ? others : { ...input, [key]: value })
  }
  switch (part) {
    case 'access':
      return <AccessChoice {...props} set={set} />
    case 'scopes':
      return <Copied label={t('Scopes')} copy={t('Copy scopes')} text={scopeOf(connector, input)} />
    case 'redirect':
      return (
        <Copied
          label={t('Redirect URL')}
          copy={t('Copy redirect URL')}
          text={redirectUrlOf(connector, location.origin)}
        />
      )
    case 'outside-redirect':
      return isOutside() ? <Part part="redirect" guide={guide} {...props} /> : null
    case 'accounts':
      return <Accounts tenant={textOf(input['tenant'])} set={set} />
    case 'client':
      return <Client guide={guide} {...props} />
    default:
      return part satisfies never
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function scopeOf({ auth_config: config }: Connector, input: SignInGuideProps['input']): string {
  return textOf(input['scope']) || textOf(config['scope'])
}

interface Settable {
  readonly set: (key: string, value: string) => void
}

interface ScopeChoice {
  readonly label: string
  readonly scope: string
}

function AccessChoice({ connector, input, set }: SignInGuideProps & Settable) {
  const choices = (connector.auth_config['scope_choices'] ?? []) as readonly ScopeChoice[]
  const scope = scopeOf(connector, input)
  const [isOther, setOther] = useState(choices.every((choice) => choice.scope !== scope))
  return (
    <>
      <Field label={t('Flows may')} hint={t('Choose only what your flows need.')}>
        <Select
          value={isOther ? OTHER : scope}
          onChange={(chosen) => {
            setOther(chosen === OTHER)
            if (chosen !== OTHER) set('scope', chosen)
          }}
          options={[
            ...choices.map((choice) => ({
              value: choice.scope,
              label: translateConnectorText(choice.label, connector),
            })),
            { value: OTHER, label: t('Other scopes') },
          ]}
        />
      </Field>
      {!isOther ? null : (
        <Field label={t('Scope')} hint={t('Scopes, separated by spaces.')}>
          <TextInput mono value={scope} onChange={(text) => set('scope', text)} />
        </Field>
      )}
    </>
  )
}

const OTHER = ''

function Accounts({ tenant, set }: Settable & { readonly tenant: string }) {
  const [isOwn, setOwn] = useState(!['', 'common', 'consumers'].includes(tenant))
  return (
    <>
      <Field label={t('Accounts')}>
        <Select
          value={isOwn ? 'own' : tenant || 'common'}
          onChange={(chosen) => {
            setOwn(chosen === 'own')
            set('tenant', chosen === 'own' ? '' : chosen)
          }}
          options={[
            {
              value: 'common',
              label: t('All'),
              hint: t('Any organizational directory and personal accounts'),
            },
            { value: 'consumers', label: t('Personal'), hint: t('Personal Microsoft accounts only') },
            {
              value: 'own',
              label: t('One organization'),
              hint: t('Accounts in this organizational directory only'),
            },
          ]}
        />
      </Field>
      {isOwn ? (
        <Field label={t('Directory (tenant) ID')} hint={t('It’s on the app’s Overview page.')}>
          <TextInput mono value={tenant} onChange={(text) => set('tenant', text.trim())} />
        </Field>
      ) : null}
    </>
  )
}

/** Checked as it is typed, because a wrong value is only noticed at the provider. */
function Client({ connector, auth, input, onChange, guide }: SignInGuideProps & { readonly guide: Guide }) {
  const { idLabel, id, idError, hasSecret, notSecret, secretError } = guide.client
  const asksSecret = hasSecret || isOutside() || auth?.secrets['user_input.client_secret'] === true
  const schema = [
    { name: 'client_id', label: t(idLabel), required: true },
    ...(asksSecret
      ? [{ name: 'client_secret', label: t('Client secret'), type: 'password', required: true }]
      : []),
  ]
  const clientId = textOf(input['client_id'])
  const secret = textOf(input['client_secret'])
  const errors: Readonly<Record<string, string | undefined>> = {
    client_id: clientId === '' || id.test(clientId) ? undefined : t(idError),
    client_secret: notSecret.test(secret) ? t(secretError) : undefined,
  }
  return (
    <SchemaForm
      connector={connector}
      fields={readAuthFields(schema)}
      values={input}
      isStored={(path) => auth?.secrets[`user_input.${path}`] === true}
      errorOf={(path) => errors[path]}
      onChange={(next) => onChange(trimmed(next))}
    />
  )
}

/** Copied text often begins or ends with a space or a line break. */
function trimmed(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const keys = ['client_id', 'client_secret']
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, keys.includes(key) ? textOf(value).trim() : value]),
  )
}

function Copied({
  label,
  copy,
  text,
}: {
  readonly label: string
  readonly copy: string
  readonly text: string
}) {
  return (
    <Field label={label} aside={<CopyIcon label={copy} text={text} />}>
      <TextInput mono readOnly value={text} />
    </Field>
  )
}

function SignIn({ connector, auth, input, keep }: SignInGuideProps) {
  const { authorize, outcome } = useSignIn(auth?.id)
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const provider = providerOf(connector)

  async function begin() {
    setState({ busy: true, failure: null })
    try {
      const kept = await keep()
      const url = kept === null ? null : (await authorize(kept.id)).url
      setState({ busy: false, failure: null })
      if (url !== null && safeHref(url) !== undefined) window.open(url, '_blank', 'noopener')
    } catch (failure) {
      setState({ busy: false, failure })
    }
  }

  const isSignedIn = auth?.state === 'ok'
  return (
    <div className="flex flex-col gap-3" aria-live="polite">
      {state.failure === null ? null : (
        <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t start sign-in')} />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          look={isSignedIn ? 'secondary' : 'primary'}
          icon={LogIn}
          needs={updateConnectorAuthRoute}
          busy={state.busy}
          disabled={
            textOf(input['client_id']) === '' && typeof connector.auth_config['client_id'] !== 'string'
          }
          onClick={() => void begin()}
        >
          {isSignedIn ? t('Sign in again') : t('Sign in')}
        </Button>
        {outcome?.kind === 'waiting' ? <SignInWaiting url={outcome.url} /> : null}
      </div>
      {outcome?.kind === 'failed' ? (
        <div role="alert" className="text-error">
          {outcome.advice === null ? (
            <p>{outcome.message}</p>
          ) : (
            <>
              <p>{translateMessage(outcome.advice)}</p>
              <p className="break-words">{outcome.said}</p>
            </>
          )}
        </div>
      ) : null}
      {outcome?.kind === 'done' && outcome.test !== null ? (
        <div className="rounded border border-line">
          <TestOutcome isFolded result={outcome.test} />
        </div>
      ) : isSignedIn ? (
        <p className="flex items-center gap-2">
          <CircleCheck size={16} aria-hidden className="shrink-0 text-success" />
          {t('Signed in. Requests now use this sign-in.')}
        </p>
      ) : null}
      <details>
        <summary className="w-fit cursor-default rounded-sm font-medium">
          {t('If {{provider}} shows an error', { provider: provider?.name ?? '' })}
        </summary>
        <dl className="flex flex-col gap-2 pt-2">
          {provider?.problems.map(({ codes, advice }) => (
            <div key={codes}>
              <dt className="font-mono text-code break-words text-muted">{codes.replaceAll('|', ', ')}</dt>
              <dd>{translateMessage(advice)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </div>
  )
}
