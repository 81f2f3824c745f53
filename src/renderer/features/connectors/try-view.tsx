import { CircleCheck, CircleX, Play, Square, TriangleAlert, Workflow } from '../../lib/icons.tsx'
import { useEffect, useRef, useState } from 'react'
import type { Json } from '../../../shared/contract/base/common.ts'
import type { ActionTry } from '../../../shared/contract/action-tries.ts'
import type { Action, Connector } from '../../../shared/contract/connectors.ts'
import { asAppError, fieldsOf, isAbort } from '../../api/failure.ts'
import { AuthChoice } from '../../components/auths/auth-choice.tsx'
import { ChangeAuth } from '../../components/auths/way-out.tsx'
import { Button } from '../../components/controls/button.tsx'
import { callOf, placeOf } from '../../components/pagination/state/test-form.ts'
import { DictionaryField } from '../../components/controls/dictionary-field.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { ExchangeList } from '../../components/values/exchange-view.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { JsonTree } from '../../components/values/json-tree.tsx'
import { type ChosenNames, LookupPlaceProvider } from '../../components/schema-form/lookup-place.ts'
import { SchemaForm } from '../../components/schema-form/schema-form.tsx'
import { useShortcut } from '../../components/screen/shortcuts.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { formatDuration } from '../../lib/format.ts'
import { t, tn, translateConnectorText, translateMessage } from '../../lib/i18n.ts'
import { readSchemaFields } from '../../lib/schema-fields.ts'
import { useTry } from './try-store.ts'
import type { TryDraft } from './try-store.ts'
import { UseInFlowDialog } from './use-in-flow-dialog.tsx'

const mendAuth = (authId: string) => <ChangeAuth authId={authId} isCertain />

interface TryState {
  readonly running: AbortController | null
  readonly result: ActionTry | null
  readonly failure: unknown
}

const IDLE: TryState = { running: null, result: null, failure: null }
const EMPTY: TryDraft = { authId: '', input: {}, maxPages: 1 }

interface TryViewProps {
  /** Includes the unsaved changes, so that the call matches the screen. */
  readonly connector: Connector
  readonly action: Action
  /** The name that flows call it by; undefined if it is not saved. */
  readonly savedName: string | undefined
}

/** Runs one action with the values entered here, and shows every call and the result. */
export function TryView({ connector, action, savedName }: TryViewProps) {
  const draft = useTry((state) => state.drafts[action.id]) ?? EMPTY
  const drafted = useTry((state) => state.drafted)
  const run = useTry((state) => state.run)
  const [state, setState] = useState(IDLE)
  const [using, setUsing] = useState(false)
  const [names, setNames] = useState<ChosenNames>({})
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const set = (patch: Partial<TryDraft>) => drafted(action.id, { ...draft, ...patch })
  const failure = state.failure === null ? null : asAppError(state.failure)
  const errors = fieldsOf(failure)

  async function start() {
    if (running.current !== null) return
    const controller = new AbortController()
    running.current = controller
    setState({ ...IDLE, running: controller })
    const { authId, input, maxPages } = draft
    const body = {
      auth_id: authId === '' ? null : authId,
      input,
      max_pages: action.supports_automatic_pagination ? maxPages : 1,
      action: callOf(action),
      ...(connector.built_in ? {} : { connector: placeOf(connector) }),
    }
    try {
      const result = await run(connector.id, body, controller.signal)
      setState({ ...IDLE, result })
    } catch (error) {
      setState({ ...IDLE, failure: isAbort(error) ? null : error })
    } finally {
      running.current = null
    }
  }
  useShortcut({ keys: 'mod+enter', label: t('Run action'), group: t('Connector') }, () => void start())

  const fields = readSchemaFields(action.ui_form_schema)
  const named = new Set(fields.map(({ name }) => name))
  const pick = (isNamed: boolean) =>
    Object.fromEntries(Object.entries(draft.input).filter(([name]) => named.has(name) === isNamed))
  return (
    <div className="flex flex-col gap-4 p-4">
      <AuthChoice
        connectorId={action.connector_id}
        error={errors['auth_id']?.[0]}
        value={draft.authId}
        onChange={(authId) => set({ authId })}
      />
      <LookupPlaceProvider
        value={{
          connector,
          action: action.name,
          authId: draft.authId === '' ? null : draft.authId,
          input: draft.input as Record<string, Json>,
          names,
          mendAuth,
          keep: (field, ofField) => setNames({ ...names, [field]: ofField }),
          ...(connector.built_in ? {} : { unsaved: (field) => lookupIn(action.ui_form_schema, field) }),
        }}
      >
        <SchemaForm
          connector={connector}
          fields={fields}
          values={pick(true)}
          onChange={(own) => set({ input: { ...own, ...pick(false) } })}
          errorOf={(path) => errors[`input.${path.replaceAll('/', '.')}`]?.[0]}
        />
      </LookupPlaceProvider>
      <DictionaryField
        typed
        label={fields.length === 0 ? t('Input') : t('Other input')}
        noun={t('value')}
        error={errors['input']?.[0]}
        value={pick(false)}
        onChange={(others) => set({ input: { ...pick(true), ...others } })}
      />
      {action.supports_automatic_pagination ? (
        <Field
          label={t('Max pages')}
          hint={t('Enter 1 to 10.')}
          className="max-w-40"
          error={errors['max_pages']?.[0]}
        >
          <TextInput
            type="number"
            min={1}
            max={10}
            value={String(draft.maxPages)}
            onChange={(text) => set({ maxPages: Math.min(10, Math.max(1, Math.trunc(Number(text)) || 1)) })}
          />
        </Field>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" icon={Play} busy={state.running !== null} onClick={() => void start()}>
          {t('Run action')}
        </Button>
        {state.running === null ? null : (
          <Button icon={Square} onClick={() => state.running?.abort()}>
            {t('Cancel')}
          </Button>
        )}
        <Button
          icon={Workflow}
          disabled={savedName !== action.name}
          title={savedName === action.name ? undefined : t('Save the action first')}
          onClick={() => setUsing(true)}
        >
          {t('Use in a flow')}
        </Button>
        {action.method === 'GET' || action.method === 'HEAD' ? null : (
          <p className="text-muted">
            {t('This sends a real request. {{method}} can change data.', { method: action.method })}
          </p>
        )}
      </div>
      <div aria-live="polite">
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t run action')} />}
        {state.result === null ? null : <Outcome result={state.result} />}
      </div>
      {state.result === null ? null : <Shown result={state.result} />}
      {using ? (
        <UseInFlowDialog
          name={translateConnectorText(action.title, connector) || action.name}
          action={action}
          draft={draft}
          onClose={() => setUsing(false)}
        />
      ) : null}
    </div>
  )
}

/** The look-up of a field as it is on the screen; a field without one uses the connector's search. */
function lookupIn(form: Action['ui_form_schema'], path: string): Record<string, Json> | undefined {
  const [name, ...inner] = path.split('/')
  const field = form.find((one) => one['name'] === name)
  const fields = field?.['fields']
  if (inner.length > 0)
    return Array.isArray(fields) ? lookupIn(fields as typeof form, inner.join('/')) : undefined
  return field?.['lookup'] as Record<string, Json> | undefined
}

/** The result in words, with its warnings and figures. */
function Outcome({ result }: { readonly result: ActionTry }) {
  const { Icon, color, word } = lookOf(result)
  return (
    <div className="flex items-start gap-2">
      <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${color}`} />
      <p className="min-w-0 break-words">
        <strong>{word}</strong> {translateMessage(result.message, result)}{' '}
        {result.warnings.map((warning) => (
          <span key={warning.code} className="block text-retrying">
            {translateMessage(warning.message, warning)}
          </span>
        ))}
        <span className="tabular text-muted">
          {[
            result.status === null ? '' : String(result.status),
            formatDuration(result.duration_ms),
            result.record_count === null
              ? ''
              : tn(result.record_count, '{{count}} record', '{{count}} records'),
          ]
            .filter((part) => part !== '')
            .join(' · ')}
        </span>
      </p>
    </div>
  )
}

/** A list that may be incomplete isn't a plain success. */
function lookOf({ ok, complete }: ActionTry) {
  if (!ok) return { Icon: CircleX, color: 'text-error', word: t('Failed.') }
  if (complete === 'in_doubt')
    return { Icon: TriangleAlert, color: 'text-retrying', word: `${t('In doubt')}.` }
  return { Icon: CircleCheck, color: 'text-success', word: t('Success.') }
}

function Shown({ result }: { readonly result: ActionTry }) {
  const [tab, setTab] = useState<'output' | 'http'>(result.ok ? 'output' : 'http')
  const isList = result.record_count !== null
  return (
    <Tabs
      label={t('Result')}
      className="rounded border border-line"
      value={tab}
      onChange={setTab}
      aside={
        result.truncated ? (
          <span className="text-sm text-retrying">{t('Shortened because it’s very long')}</span>
        ) : null
      }
      tabs={[
        {
          value: 'output',
          label:
            result.record_count === null
              ? t('Output')
              : tn(result.record_count, '{{count}} record', '{{count}} records'),
          content:
            result.output === null ? (
              <p className="p-4 text-muted">{t('Empty response.')}</p>
            ) : (
              <div className="flex h-96 flex-col">
                <JsonTree value={result.output} label={isList ? t('Records') : t('Action output')} />
              </div>
            ),
        },
        {
          value: 'http',
          label: `HTTP (${result.http.length})`,
          content: <ExchangeList exchanges={result.http} />,
        },
      ]}
    />
  )
}
