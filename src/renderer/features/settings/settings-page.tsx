import { useLocation } from '@tanstack/react-router'
import { Save, Stethoscope } from '../../lib/icons.tsx'
import { useEffect, useRef, useState } from 'react'
import { updateSettingsRoute } from '../../../shared/contract/settings.ts'
import type { Language, Settings } from '../../../shared/contract/settings.ts'
import { asAppError, faultInList } from '../../api/failure.ts'
import { META, SETTINGS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button, ButtonLink } from '../../components/controls/button.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Field, Switch, TextInput } from '../../components/controls/field.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Card, Column, Page } from '../../components/screen/page.tsx'
import { Select } from '../../components/controls/select.tsx'
import { allowSingleKeys, singleKeysAllowed, useShortcut } from '../../components/screen/shortcuts.tsx'
import { setTheme } from '../../components/screen/theme.ts'
import { Time } from '../../components/values/time.tsx'
import { useUnsaved } from '../../components/screen/unsaved.tsx'
import { announce, attempt } from '../../components/screen/toast.tsx'
import { ViewOnlyNotice } from '../../components/screen/view-only-notice.tsx'
import { SettingsLinks } from '../../components/screen/screen-links.tsx'
import { setLanguage, t } from '../../lib/i18n.ts'
import { AlarmsCard } from './alarms-card.tsx'
import { PageSessionsCard } from './page-sessions-card.tsx'
import { DataFolderCard } from './data-folder-card.tsx'
import { McpCard } from './mcp-card.tsx'
import { ProgramsCard, VaultsCard } from './programs-card.tsx'
import { DesktopCard } from './desktop-card.tsx'
import { PORT, PortField } from './port-field.tsx'
import {
  LinesSetting,
  MegabyteSetting,
  NumberSetting,
  type SettingsDraft,
  UrlSetting,
} from './setting-fields.tsx'
import { SettingsIndex } from './settings-index.tsx'
import { useSettingsDraft } from './settings-draft.ts'
import { TunnelCard } from './tunnel-card.tsx'
import { useOneAtATime } from '../../components/controls/use-one-at-a-time.ts'

export function SettingsPage() {
  const { data: settings, failure, reload } = useResource(SETTINGS)
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
  const saved = useSettingsDraft((state) => state.saved)
  const changes = useSettingsDraft((state) => state.changes)
  const set = useSettingsDraft((state) => state.changed)
  const { after } = useResource(SETTINGS)
  const column = useRef<HTMLDivElement>(null)
  const api = useApi()
  const isLocal = api.remote === null
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const dirty = Object.entries(changes).some(([key, value]) => settings[key as keyof Settings] !== value)
  const failure = state.failure === null ? null : asAppError(state.failure)
  const draft: SettingsDraft = { shown: { ...settings, ...changes }, failure, set }

  async function save() {
    if (!dirty) return
    setState({ busy: true, failure: null })
    try {
      await after(api.call(updateSettingsRoute, { body: { ...changes, ...alarmsOf(changes, settings) } }))
      saved()
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
      <div className="flex min-h-0 flex-1 max-lg:flex-col">
        <SettingsIndex column={column} />
        <Column ref={column}>
          {failure === null ? null : <ErrorNotice error={failure} title={t('Couldn’t save settings')} />}
          <AppearanceCard {...draft} />
          <WebhooksCard {...draft} />
          <RunsCard {...draft} />
          <HistoryCard {...draft} />
          <ExposureCard {...draft} />
          {isLocal ? <AlarmsCard {...draft} dirty={dirty} /> : null}
          {isLocal ? <ProgramsCard {...draft} /> : null}
          {isLocal ? <VaultsCard {...draft} /> : null}
          {isLocal ? <McpCard {...draft} /> : null}
          {isLocal ? <TunnelCard /> : null}
          <PageSessionsCard />
          <DesktopCard />
          {isLocal ? <DataFolderCard /> : null}
          <About />
        </Column>
      </div>
    </Page>
  )
}

/** Leaves out the rest of the alarms' settings, which are changed in the list of alarms and may be newer there. */
const alarmsOf = ({ alarms }: Partial<Settings>, now: Settings): Partial<Settings> =>
  alarms === undefined ? {} : { alarms: { ...now.alarms, silent_after_minutes: alarms.silent_after_minutes } }

function AppearanceCard({ shown, set }: SettingsDraft) {
  const api = useApi()
  const { after } = useResource(SETTINGS)

  /** Applies at once in this window, and is saved in the settings for the others. */
  async function choose(language: Language) {
    // Saved first: setting the language renders the page again, which then loads the saved language.
    await attempt(t('The language applies to this window only'), () =>
      after(api.call(updateSettingsRoute, { body: { language } })),
    )
    await setLanguage(language)
  }

  return (
    <Card stacked title={t('Appearance')}>
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
          onChange={(language) => void choose(language)}
          options={[
            { value: 'system', label: t('Browser language') },
            { value: 'en', label: 'English' },
            { value: 'de', label: 'Deutsch' },
          ]}
        />
      </Field>
      <SingleKeys />
      <Notifications />
    </Card>
  )
}

function WebhooksCard(draft: SettingsDraft) {
  const isLimited = draft.shown.webhook_rate_limit_requests !== null
  return (
    <Card stacked title={t('Webhooks')}>
      <Switch
        label={t('Limit webhook request rate')}
        hint={t(
          'Counted per calling IP address across all flows. Requests over the limit get 429 with Retry-After.',
        )}
        checked={isLimited}
        onChange={(on) => draft.set({ webhook_rate_limit_requests: on ? 300 : null })}
      />
      {isLimited ? (
        <div className="flex flex-wrap gap-4">
          <NumberSetting {...draft} name="webhook_rate_limit_requests" label={t('Requests')} />
          <NumberSetting {...draft} name="webhook_rate_limit_seconds" label={t('Per (seconds)')} />
        </div>
      ) : null}
      <MegabyteSetting {...draft} name="webhook_body_limit_bytes" label={t('Max webhook body (MB)')} />
    </Card>
  )
}

function RunsCard(draft: SettingsDraft) {
  return (
    <Card stacked title={t('Runs and API')}>
      <NumberSetting
        {...draft}
        name="concurrent_runs"
        label={t('Max concurrent runs')}
        hint={t('Further runs wait in the queue, which is stored on disk.')}
      />
      <NumberSetting
        {...draft}
        name="pagination_max_pages"
        label={t('Max pages per list')}
        hint={t('A longer list fails and keeps the pages read so far.')}
      />
      <NumberSetting
        {...draft}
        name="pagination_max_empty_pages"
        label={t('Max empty pages in a row')}
        hint={t(
          'Applies to lists that always name a next page. A list with more empty pages in a row fails.',
        )}
      />
      <Switch
        label={t('Fail lists in doubt')}
        hint={t(
          'If a list may be incomplete, its step fails. If this is off, the step gets a warning instead.',
        )}
        checked={draft.shown.when_in_doubt === 'fail'}
        onChange={(fails) => draft.set({ when_in_doubt: fails ? 'fail' : 'warn' })}
      />
      <NumberSetting
        {...draft}
        name="template_time_limit_ms"
        label={t('Template timeout (ms)')}
        hint={t(
          'A template that takes longer fails. Millrace can’t do anything else while a template is rendering.',
        )}
      />
      <LinesSetting
        {...draft}
        keepsSpaces
        name="file_folders"
        label={t('Allowed folders')}
        hint={t('Full paths, one per line. Steps can read and write files only in these folders.')}
      />
      <MegabyteSetting {...draft} name="body_limit_bytes" label={t('Max API body (MB)')} />
      <MegabyteSetting {...draft} name="file_limit_bytes" label={t('Max file size (MB)')} />
    </Card>
  )
}

function HistoryCard(draft: SettingsDraft) {
  const isLimited = draft.shown.history_limit_mb !== null
  return (
    <Card stacked title={t('History')}>
      <Switch
        label={t('Limit history size')}
        hint={t(
          'Above this size, the oldest finished runs are deleted. Each flow sets how many days its runs are kept.',
        )}
        checked={isLimited}
        onChange={(on) => draft.set({ history_limit_mb: on ? 10_000 : null })}
      />
      {isLimited ? (
        <NumberSetting {...draft} name="history_limit_mb" label={t('Max history size (MB)')} />
      ) : null}
      <Switch
        label={t('Full-text search index')}
        hint={t('Faster search. Adds about 50% to the size of the history.')}
        checked={draft.shown.search_index}
        onChange={(search_index) => draft.set({ search_index })}
      />
    </Card>
  )
}

function ExposureCard(draft: SettingsDraft) {
  const { data: listening } = useResource(PORT)
  const isLocal = useApi().remote === null
  return (
    <Card stacked title={t('Exposure')}>
      {listening === null || !isLocal ? null : <PortField key={listening.port} listening={listening} />}
      <UrlSetting
        {...draft}
        name="public_url"
        label={t('Public URL')}
        hint={t(
          'URL of your proxy or tunnel, for example https://hooks.example.com. Millrace shows it next to the URL of each webhook and doesn’t open anything itself.',
        )}
        placeholder="https://hooks.example.com"
      />
      {isLocal ? <ProxySettings {...draft} /> : null}
    </Card>
  )
}

function ProxySettings(draft: SettingsDraft) {
  const { shown, failure, set } = draft
  return (
    <>
      <UrlSetting
        {...draft}
        name="page_url"
        label={t('App URL for other devices')}
        hint={t(
          'URL of a proxy with TLS on this computer. Browsers sign in there with an access token, or with a link from “millrace sign-in-link”.',
        )}
        placeholder="https://box.example.com"
      />
      <LinesSetting
        {...draft}
        name="trusted_proxies"
        label={t('Trusted proxies')}
        hint={t(
          'IP addresses and ranges of the proxies in front of --webhook-listen, one per line. Only they can pass on the caller’s IP address.',
        )}
      />
      {shown.trusted_proxies.length === 0 ? null : (
        <Field
          label={t('Proxy header')}
          hint={t('The header in which these proxies pass on the caller’s IP address.')}
          error={faultInList(failure, 'proxy_header')}
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
          'If off, a proxy or tunnel exposes webhooks only. If on, it exposes everything under /v1, protected by tokens.',
        )}
        checked={shown.expose_api}
        onChange={(expose_api) => set({ expose_api })}
      />
    </>
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
      hint={t('Turn off if you use dictation. The setting is stored in this browser.')}
      checked={allowed}
      onChange={(next) => {
        setAllowed(next)
        allowSingleKeys(next)
      }}
    />
  )
}

function About() {
  const { data: meta } = useResource(META)
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
          <code className="min-w-0 text-code break-all">{meta.url}</code>
          <CopyIcon label={t('Copy URL')} text={meta.url} />
        </dd>
        {meta.playground_url === null ? null : (
          <>
            <dt className="text-muted">{t('Playground API')}</dt>
            <dd className="flex items-center gap-1">
              <code className="min-w-0 text-code break-all">{meta.playground_url}</code>
              <CopyIcon label={t('Copy playground URL')} text={meta.playground_url} />
            </dd>
          </>
        )}
        <dt className="text-muted">{t('Started')}</dt>
        <dd>
          <Time at={meta.started_at} />
        </dd>
        <dt className="text-muted">{t('Reachable from')}</dt>
        <dd>{t('this computer only, because Millrace listens on the loopback address')}</dd>
      </dl>
    </Card>
  )
}
