import { useLocation } from '@tanstack/react-router'
import { Save, Stethoscope } from '../../lib/icons.tsx'
import { useEffect, useState } from 'react'
import { updateSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { asAppError, faultInList, fieldsOf } from '../../api/failure.ts'
import { useApi } from '../../api/provider.tsx'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field, Switch, TextArea, TextInput } from '../../components/controls/field.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Card, Column, Page } from '../../components/screen/page.tsx'
import { Select } from '../../components/controls/select.tsx'
import { allowSingleKeys, singleKeysAllowed, useShortcut } from '../../components/screen/shortcuts.tsx'
import { setTheme } from '../../components/screen/theme.ts'
import { Time } from '../../components/values/time.tsx'
import { useUnsaved } from '../../components/screen/unsaved.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { ViewOnlyNotice } from '../../components/screen/view-only-notice.tsx'
import { SettingsLinks } from '../../components/screen/screen-links.tsx'
import { t } from '../../lib/i18n.ts'
import { AlarmsCard } from './alarms-card.tsx'
import { PageSessionsCard } from './page-sessions-card.tsx'
import { DataFolderCard } from './data-folder-card.tsx'
import { McpCard } from './mcp-card.tsx'
import { ProgramsCard } from './programs-card.tsx'
import { DesktopCard } from './desktop-card.tsx'
import { PortField } from './port-field.tsx'
import { useSettings } from './settings-store.ts'
import { TunnelCard } from './tunnel-card.tsx'
import { useOneAtATime } from '../../components/controls/use-one-at-a-time.ts'

export function SettingsPage() {
  const opened = useSettings((state) => state.opened)
  const reload = useSettings((state) => state.reload)
  const settings = useSettings((state) => state.settings)
  const failure = useSettings((state) => state.failure)
  useEffect(() => opened(), [opened])
  useNamedSetting(settings !== null)
  if (settings !== null) return <SettingsForm settings={settings} />
  return (
    <Page title={t('Settings')}>
      <SettingsLinks />
      <Loaded value={settings} failure={failure} what={t('the settings')} onRetry={() => void reload()}>
        {() => null}
      </Loaded>
    </Page>
  )
}

/** Shows the setting named after the # of the URL, as the command palette links here. */
function useNamedSetting(shown: boolean): void {
  const name = useLocation({ select: ({ hash }) => hash })
  useEffect(() => {
    if (!shown || name === '') return
    const named = [...document.querySelectorAll<HTMLElement>('main label, main h2')]
    const found = named.find(({ textContent }) => textContent.startsWith(name))
    found?.scrollIntoView({ block: 'center' })
    if (found instanceof HTMLLabelElement) (found.control ?? found.querySelector('button'))?.focus()
  }, [name, shown])
}

function SettingsForm({ settings }: { readonly settings: Settings }) {
  const saved = useSettings((state) => state.saved)
  const changes = useSettings((state) => state.changes)
  const set = useSettings((state) => state.changed)
  const listening = useSettings((state) => state.listening)
  const languageChosen = useSettings((state) => state.languageChosen)
  const isLocal = useApi().remote === null
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const shown = { ...settings, ...changes }
  const dirty = Object.entries(changes).some(([key, value]) => settings[key as keyof Settings] !== value)
  const failure = state.failure === null ? null : asAppError(state.failure)
  const errors = fieldsOf(failure)

  async function save() {
    if (!dirty) return
    setState({ busy: true, failure: null })
    try {
      await saved()
      setState({ busy: false, failure: null })
      announce(t('Settings saved'))
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }
  const saveOnce = useOneAtATime(save)
  const { asking } = useUnsaved(dirty)
  useShortcut(
    { keys: 'mod+s', label: t('Save settings'), group: t('Settings'), needs: updateSettingsRoute },
    () => void saveOnce(),
  )

  return (
    <Page
      title={t('Settings')}
      actions={
        <>
          <span role="status" className="pr-1 text-sm text-muted">
            {dirty ? t('Unsaved changes') : ''}
          </span>
          <Button
            look="primary"
            icon={Save}
            needs={updateSettingsRoute}
            disabled={!dirty}
            busy={state.busy}
            onClick={() => void saveOnce()}
          >
            {t('Save')}
          </Button>
        </>
      }
    >
      {asking}
      <SettingsLinks />
      <ViewOnlyNotice needs={updateSettingsRoute} />
      <Column>
        {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t save settings')} />}
        <Card title={t('Appearance')}>
          <div className="flex flex-col gap-4 p-4">
            <Field label={t('Theme')} className="max-w-60">
              <Select
                value={shown.theme}
                onChange={(theme) => {
                  setTheme(theme)
                  set({ theme })
                }}
                options={[
                  { value: 'system', label: t('System') },
                  { value: 'light', label: t('Light') },
                  { value: 'dark', label: t('Dark') },
                ]}
              />
            </Field>
            <Field label={t('Language')} className="max-w-60">
              <Select
                value={shown.language}
                onChange={(language) => void languageChosen(language)}
                options={[
                  { value: 'system', label: t('Browser language') },
                  { value: 'en', label: 'English' },
                  { value: 'de', label: 'Deutsch' },
                ]}
              />
            </Field>
            <SingleKeys />
            <Notifications />
          </div>
        </Card>
        <Card title={t('Webhooks')}>
          <div className="flex flex-col gap-4 p-4">
            <Switch
              label={t('Limit webhook request rate')}
              hint={t(
                'Counted per calling IP address across all flows. Requests over the limit get 429 with Retry-After.',
              )}
              checked={shown.webhook_rate_limit_requests !== null}
              onChange={(on) => set({ webhook_rate_limit_requests: on ? 300 : null })}
            />
            {shown.webhook_rate_limit_requests === null ? null : (
              <div className="flex flex-wrap gap-4">
                <NumberField
                  label={t('Requests')}
                  value={shown.webhook_rate_limit_requests}
                  error={errors.webhook_rate_limit_requests?.[0]}
                  onChange={(requests) => set({ webhook_rate_limit_requests: requests })}
                />
                <NumberField
                  label={t('Per (seconds)')}
                  value={shown.webhook_rate_limit_seconds}
                  error={errors.webhook_rate_limit_seconds?.[0]}
                  onChange={(seconds) => set({ webhook_rate_limit_seconds: seconds })}
                />
              </div>
            )}
            <MegabyteField
              label={t('Max webhook body (MB)')}
              hint={t('Larger requests get 413.')}
              bytes={shown.webhook_body_limit_bytes}
              error={errors.webhook_body_limit_bytes?.[0]}
              onChange={(bytes) => set({ webhook_body_limit_bytes: bytes })}
            />
          </div>
        </Card>
        <Card title={t('Runs and API')}>
          <div className="flex flex-col gap-4 p-4">
            <NumberField
              label={t('Max concurrent runs')}
              hint={t('Further runs wait in the queue, stored on disk.')}
              value={shown.concurrent_runs}
              error={errors.concurrent_runs?.[0]}
              onChange={(runs) => set({ concurrent_runs: runs })}
            />
            <NumberField
              label={t('Max pages per list')}
              hint={t('A longer list fails and keeps the pages read so far.')}
              value={shown.pagination_max_pages}
              error={errors.pagination_max_pages?.[0]}
              onChange={(pages) => set({ pagination_max_pages: pages })}
            />
            <NumberField
              label={t('Max empty pages in a row')}
              hint={t('For lists that always name a next page. A list with more empty pages in a row fails.')}
              value={shown.pagination_max_empty_pages}
              error={errors.pagination_max_empty_pages?.[0]}
              onChange={(pages) => set({ pagination_max_empty_pages: pages })}
            />
            <Switch
              label={t('Fail lists in doubt')}
              hint={t('A list that may be incomplete fails its step. Otherwise it gets a warning.')}
              checked={shown.when_in_doubt === 'fail'}
              onChange={(fails) => set({ when_in_doubt: fails ? 'fail' : 'warn' })}
            />
            <NumberField
              label={t('Template timeout (ms)')}
              hint={t(
                'A template that takes longer fails. Millrace can’t do anything else while one is rendering.',
              )}
              value={shown.template_time_limit_ms}
              error={errors.template_time_limit_ms?.[0]}
              onChange={(milliseconds) => set({ template_time_limit_ms: milliseconds })}
            />
            <Field
              label={t('Allowed folders')}
              optional
              hint={t('Full paths, one per line. Steps can read and write files only in these folders.')}
              error={faultInList(failure, 'file_folders')}
            >
              <TextArea
                mono
                value={shown.file_folders.join('\n')}
                onChange={(text) => set({ file_folders: text.split('\n') })}
                onBlur={() => set({ file_folders: shown.file_folders.filter((line) => line.trim() !== '') })}
              />
            </Field>
            <MegabyteField
              label={t('Max API body (MB)')}
              hint={t('Larger requests get 413.')}
              bytes={shown.body_limit_bytes}
              error={errors.body_limit_bytes?.[0]}
              onChange={(bytes) => set({ body_limit_bytes: bytes })}
            />
            <MegabyteField
              label={t('Max file size (MB)')}
              hint={t('Larger requests get 413.')}
              bytes={shown.file_limit_bytes}
              error={errors.file_limit_bytes?.[0]}
              onChange={(bytes) => set({ file_limit_bytes: bytes })}
            />
          </div>
        </Card>
        <Card title={t('History')}>
          <div className="flex flex-col gap-4 p-4">
            <Switch
              label={t('Limit history size')}
              hint={t(
                'Above this size, the oldest finished runs are deleted. Each flow sets how many days its runs are kept.',
              )}
              checked={shown.history_limit_mb !== null}
              onChange={(on) => set({ history_limit_mb: on ? 10_000 : null })}
            />
            {shown.history_limit_mb === null ? null : (
              <NumberField
                label={t('Max history size (MB)')}
                value={shown.history_limit_mb}
                error={errors.history_limit_mb?.[0]}
                onChange={(megabytes) => set({ history_limit_mb: megabytes })}
              />
            )}
            <Switch
              label={t('Full-text search index')}
              hint={t('Faster search. Adds about 50% to the size of the history.')}
              checked={shown.search_index}
              onChange={(search_index) => set({ search_index })}
            />
          </div>
        </Card>
        <Card title={t('Exposure')}>
          <div className="flex flex-col gap-4 p-4">
            {listening === null || !isLocal ? null : <PortField key={listening.port} listening={listening} />}
            <Field
              label={t('Public URL')}
              optional
              hint={t(
                'URL of your proxy or tunnel, for example https://hooks.example.com. Millrace shows it next to the URL of each webhook and doesn’t open anything itself.',
              )}
              error={errors.public_url?.[0]}
            >
              <TextInput
                mono
                value={shown.public_url ?? ''}
                placeholder="https://hooks.example.com"
                onChange={(text) => set({ public_url: text.trim() === '' ? null : text.trim() })}
              />
            </Field>
            {isLocal ? (
              <>
                <Field
                  label={t('App URL for other devices')}
                  optional
                  hint={t(
                    'URL of a proxy with TLS on this computer. Browsers sign in there with an access token, or with a link from “millrace sign-in-link”.',
                  )}
                  error={errors.page_url?.[0]}
                >
                  <TextInput
                    mono
                    value={shown.page_url ?? ''}
                    placeholder="https://box.example.com"
                    onChange={(text) => set({ page_url: text.trim() === '' ? null : text.trim() })}
                  />
                </Field>
                <Field
                  label={t('Trusted proxies')}
                  optional
                  hint={t(
                    'IP addresses and ranges of the proxies in front of --webhook-listen, one per line. Only they can pass on the caller’s IP address.',
                  )}
                  error={faultInList(failure, 'trusted_proxies')}
                >
                  <TextArea
                    mono
                    value={shown.trusted_proxies.join('\n')}
                    onChange={(text) => set({ trusted_proxies: text.split('\n') })}
                    onBlur={() =>
                      set({
                        trusted_proxies: shown.trusted_proxies.map((line) => line.trim()).filter(Boolean),
                      })
                    }
                  />
                </Field>
                {shown.trusted_proxies.length === 0 ? null : (
                  <Field
                    label={t('Proxy header')}
                    hint={t('The header in which these proxies pass on the caller’s IP address.')}
                    error={errors.proxy_header?.[0]}
                    className="max-w-80"
                  >
                    <TextInput
                      mono
                      value={shown.proxy_header}
                      onChange={(text) => set({ proxy_header: text.trim().toLowerCase() })}
                    />
                  </Field>
                )}
                <Switch
                  label={t('Expose the full API through proxies')}
                  hint={t(
                    'If off, only webhooks can be reached through a proxy or tunnel. If on, everything under /v1 can, protected by tokens.',
                  )}
                  checked={shown.expose_api}
                  onChange={(expose_api) => set({ expose_api })}
                />
              </>
            ) : null}
          </div>
        </Card>
        {isLocal ? <AlarmsCard shown={shown} dirty={dirty} failure={failure} set={set} /> : null}
        {isLocal ? <ProgramsCard shown={shown} failure={failure} set={set} /> : null}
        {isLocal ? <McpCard shown={shown} set={set} /> : null}
        {isLocal ? <TunnelCard /> : null}
        <PageSessionsCard />
        <DesktopCard />
        {isLocal ? <DataFolderCard /> : null}
        <About />
      </Column>
    </Page>
  )
}

/** A browser permission, not a setting of Millrace; the desktop app has its own notifications. */
function Notifications() {
  const [permission, setPermission] = useState(() =>
    'Notification' in window && window.desktop === undefined ? Notification.permission : null,
  )
  if (permission === null) return null
  return (
    <Switch
      label={t('Notify me in this browser when a run fails')}
      hint={
        permission === 'default'
          ? t('Your browser asks for permission.')
          : t('Change this in your browser’s site settings.')
      }
      checked={permission === 'granted'}
      disabled={permission !== 'default'}
      onChange={() => void Notification.requestPermission().then(setPermission)}
    />
  )
}

function SingleKeys() {
  const [allowed, setAllowed] = useState(singleKeysAllowed)
  return (
    <Switch
      label={t('Single-key shortcuts (e.g. G F)')}
      hint={t('Turn off if you use dictation. Stored in this browser.')}
      checked={allowed}
      onChange={(next) => {
        setAllowed(next)
        allowSingleKeys(next)
      }}
    />
  )
}

function About() {
  const meta = useSettings((state) => state.meta)
  if (meta === null) return null
  return (
    <Card
      title={t('Millrace')}
      aside={
        <ButtonLink icon={Stethoscope} to="/doctor">
          {t('Run diagnostics')}
        </ButtonLink>
      }
    >
      <dl className="grid grid-cols-[10rem_minmax(0,1fr)] items-center gap-x-4 gap-y-1 p-4 max-sm:grid-cols-1">
        <dt className="text-muted">{t('Version')}</dt>
        <dd>
          {meta.version}{' '}
          <span className="text-muted">{t('API {{apiVersion}}', { apiVersion: meta.api_version })}</span>
        </dd>
        <dt className="text-muted">{t('URL')}</dt>
        <dd className="flex items-center gap-1">
          <code className="min-w-0 text-sm break-all">{meta.url}</code>
          <CopyIcon label={t('Copy URL')} text={meta.url} />
        </dd>
        {meta.playground_url === null ? null : (
          <>
            <dt className="text-muted">{t('Playground API')}</dt>
            <dd className="flex items-center gap-1">
              <code className="min-w-0 text-sm break-all">{meta.playground_url}</code>
              <CopyIcon label={t('Copy playground URL')} text={meta.playground_url} />
            </dd>
          </>
        )}
        <dt className="text-muted">{t('Started')}</dt>
        <dd>
          <Time at={meta.started_at} />
        </dd>
        <dt className="text-muted">{t('Reachable from')}</dt>
        <dd>{t('this computer only; Millrace listens on the loopback address')}</dd>
      </dl>
    </Card>
  )
}

interface NumberFieldProps {
  readonly label: string
  readonly hint?: string
  readonly value: number
  readonly error: string | undefined
  readonly onChange: (value: number) => void
}

function NumberField({ label, hint, value, error, onChange }: NumberFieldProps) {
  return (
    <Field label={label} error={error} {...(hint === undefined ? {} : { hint })}>
      <TextInput
        inputMode="numeric"
        className="w-40"
        value={String(value)}
        onChange={(text) => onChange(Number(text.replace(/\D/g, '').slice(0, 12)))}
      />
    </Field>
  )
}

interface MegabyteFieldProps extends Pick<NumberFieldProps, 'label' | 'error'> {
  readonly hint: string
  readonly bytes: number
  readonly onChange: (bytes: number) => void
}

const BYTES_PER_MB = 1_048_576

/** Bytes as megabytes, possibly with a fraction: `0.5`. The text stays as typed. */
function MegabyteField({ label, hint, bytes, error, onChange }: MegabyteFieldProps) {
  const [typed, setTyped] = useState(String(bytes / BYTES_PER_MB))
  const shown = toBytes(typed) === bytes ? typed : String(bytes / BYTES_PER_MB)
  return (
    <Field label={label} error={error} hint={hint}>
      <TextInput
        inputMode="decimal"
        className="w-40"
        value={shown}
        onChange={(text) => {
          const next = text
            .replaceAll(',', '.')
            .replaceAll(/[^\d.]/g, '')
            .slice(0, 12)
          setTyped(next)
          onChange(toBytes(next))
        }}
      />
    </Field>
  )
}

function toBytes(megabytes: string): number {
  return Math.round((Number.parseFloat(megabytes) || 0) * BYTES_PER_MB)
}
