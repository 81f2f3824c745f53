import { useLocation } from '@tanstack/react-router'
import { Save, Stethoscope } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Settings } from '../../../shared/contract/settings.ts'
import { asAppError, faultInList, fieldsOf } from '../../api/failure.ts'
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
import { useUnsaved } from '../../components/screen/unsaved.ts'
import { announce } from '../../components/screen/toast.tsx'
import { SettingsLinks } from '../../components/screen/settings-links.tsx'
import { t } from '../../lib/i18n.ts'
import { DataFolderCard } from './data-folder-card.tsx'
import { PortField } from './port-field.tsx'
import { useSettings } from './settings-store.ts'

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
      <Loaded value={settings} failure={failure} what={t('The settings')} onRetry={() => void reload()}>
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
      announce(t('Saved the settings'))
    } catch (error) {
      setState({ busy: false, failure: error })
    }
  }
  useUnsaved(dirty)
  useShortcut({ keys: 'mod+s', label: t('Save the settings'), group: t('Settings') }, () => void save())

  return (
    <Page
      title={t('Settings')}
      actions={
        <>
          <span role="status" className="pr-1 text-sm text-muted">
            {dirty ? t('Unsaved changes') : ''}
          </span>
          <Button look="primary" icon={Save} disabled={!dirty} busy={state.busy} onClick={() => void save()}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <SettingsLinks />
      <Column>
        {failure === null ? null : <ErrorNotice error={failure} title={t('The settings were not saved')} />}
        <Card title={t('Looks and keys')}>
          <div className="flex flex-col gap-4 p-4">
            <Field label={t('Theme')} className="max-w-60">
              <Select
                value={shown.theme}
                onChange={(theme) => {
                  setTheme(theme)
                  set({ theme })
                }}
                options={[
                  { value: 'system', label: t('As the system has it') },
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
                  { value: 'system', label: t('As the browser has it') },
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
              label={t('Limit how often an address may call')}
              hint={t(
                'Counted for each calling address over all flows. Above it, callers get 429 with Retry-After.',
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
                  label={t('Within seconds')}
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
              label={t('Runs at the same time')}
              hint={t('More wait in the queue, safely on disk.')}
              value={shown.concurrent_runs}
              error={errors.concurrent_runs?.[0]}
              onChange={(runs) => set({ concurrent_runs: runs })}
            />
            <NumberField
              label={t('Pages of one list')}
              hint={t('A list that has more fails, and keeps what was read.')}
              value={shown.pagination_max_pages}
              error={errors.pagination_max_pages?.[0]}
              onChange={(pages) => set({ pagination_max_pages: pages })}
            />
            <NumberField
              label={t('Pages without records in a row')}
              hint={t('Of a list that always names a next page; more of them fail.')}
              value={shown.pagination_max_empty_pages}
              error={errors.pagination_max_empty_pages?.[0]}
              onChange={(pages) => set({ pagination_max_empty_pages: pages })}
            />
            <NumberField
              label={t('Milliseconds of one template')}
              hint={t('One that works longer fails: while it does, Millrace does nothing else.')}
              value={shown.template_time_limit_ms}
              error={errors.template_time_limit_ms?.[0]}
              onChange={(milliseconds) => set({ template_time_limit_ms: milliseconds })}
            />
            <Field
              label={t('Folders for flows')}
              optional
              hint={t('Full paths, one a line. Steps read and write files in them and nowhere else.')}
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
              label={t('Max body of API calls (MB)')}
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
              label={t('Limit how large the history may grow')}
              hint={t(
                'Above the limit the oldest ended runs go first. How many days runs stay, each flow says.',
              )}
              checked={shown.history_limit_mb !== null}
              onChange={(on) => set({ history_limit_mb: on ? 10_000 : null })}
            />
            {shown.history_limit_mb === null ? null : (
              <NumberField
                label={t('Megabytes of history')}
                value={shown.history_limit_mb}
                error={errors.history_limit_mb?.[0]}
                onChange={(megabytes) => set({ history_limit_mb: megabytes })}
              />
            )}
            <Switch
              label={t('Index the words of the history')}
              hint={t('All of it is searched at once then; the index adds about half its size.')}
              checked={shown.search_index}
              onChange={(search_index) => set({ search_index })}
            />
          </div>
        </Card>
        <Card title={t('What is exposed')}>
          <div className="flex flex-col gap-4 p-4">
            {listening === null ? null : <PortField key={listening.port} listening={listening} />}
            <Field
              label={t('Address shown to others')}
              optional
              hint={t(
                'Where a proxy or a tunnel of yours reaches this program, such as https://hooks.example.com. It stands beside the addresses of webhooks; Millrace itself opens nothing.',
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
            <Switch
              label={t('Let requests through a proxy reach the whole API')}
              hint={t(
                'Off, the webhooks alone answer what comes through a proxy or a tunnel. On, everything under /v1 does, protected by tokens.',
              )}
              checked={shown.expose_api}
              onChange={(expose_api) => set({ expose_api })}
            />
          </div>
        </Card>
        <DataFolderCard />
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
          ? t('The browser asks you whether Millrace may.')
          : t('This is changed in the settings of the browser for this address.')
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
      label={t('Shortcuts of single keys, such as g then f')}
      hint={t('Off for those who dictate, or hit keys by accident. Kept in this browser.')}
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
      title={t('This program')}
      aside={
        <ButtonLink icon={Stethoscope} to="/doctor">
          {t('Examine the program')}
        </ButtonLink>
      }
    >
      <dl className="grid grid-cols-[10rem_minmax(0,1fr)] items-center gap-x-4 gap-y-1 p-4 max-sm:grid-cols-1">
        <dt className="text-muted">{t('Version')}</dt>
        <dd>
          {meta.version}{' '}
          <span className="text-muted">{t('API {{apiVersion}}', { apiVersion: meta.api_version })}</span>
        </dd>
        <dt className="text-muted">{t('Address')}</dt>
        <dd className="flex items-center gap-1">
          <code className="min-w-0 text-sm break-all">{meta.url}</code>
          <CopyIcon label={t('Copy the address')} text={meta.url} />
        </dd>
        {meta.playground_url === null ? null : (
          <>
            <dt className="text-muted">{t('Playground API')}</dt>
            <dd className="flex items-center gap-1">
              <code className="min-w-0 text-sm break-all">{meta.playground_url}</code>
              <CopyIcon label={t('Copy the address of the playground')} text={meta.playground_url} />
            </dd>
          </>
        )}
        <dt className="text-muted">{t('Started')}</dt>
        <dd>
          <Time at={meta.started_at} />
        </dd>
        <dt className="text-muted">{t('Reachable from')}</dt>
        <dd>{t('this computer alone; Millrace listens on the loopback address')}</dd>
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
