import { type ReactNode, useState } from 'react'
import {
  filterName,
  type PluginManifest,
  type PluginPart,
} from '../../../shared/contract/plugins/manifest.ts'
import {
  confirmPluginRoute,
  type Plugin,
  removePluginRoute,
} from '../../../shared/contract/plugins/plugins.ts'
import { asAppError } from '../../api/failure.ts'
import { FLOWS, PLUGINS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { Button } from '../../components/controls/button.tsx'
import { useOneAtATime } from '../../components/controls/use-one-at-a-time.ts'
import { AnyIcon } from '../../components/plugins/any-icon.tsx'
import { titleOfPlugin, translatePluginText } from '../../components/plugins/plugin-words.ts'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { ErrorNotice } from '../../components/screen/error-notice.tsx'
import { Card } from '../../components/screen/page.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { Markdown } from '../../components/values/markdown.tsx'
import { Time } from '../../components/values/time.tsx'
import { formatBytes, plural } from '../../lib/format.ts'
import { english, t, translateMessage } from '../../lib/i18n.ts'
import { Check, Minus, Plus } from '../../lib/icons.tsx'
import { stepsWithin } from '../../lib/steps-within.ts'
import { Trans } from '../../lib/trans.tsx'
import { abilitiesOf, type Ability } from './abilities.ts'
import { AddCommand, PluginState } from './plugin-state.tsx'

interface PluginSheetProps {
  readonly name: string
  /** Undefined if there is none with this name. */
  readonly plugin: Plugin | undefined
  readonly onClose: () => void
}

/** A plug-in with everything that users should know before they confirm it. */
export function PluginSheet({ name, plugin, onClose }: PluginSheetProps) {
  const api = useApi()
  const { after, reload } = useResource(PLUGINS)
  const [state, setState] = useState<{ busy: boolean; failure: unknown }>({ busy: false, failure: null })
  const [isRemoving, setRemoving] = useState(false)
  const confirm = useOneAtATime(async () => {
    if (plugin === undefined) return
    setState({ busy: true, failure: null })
    try {
      await after(api.call(confirmPluginRoute, { params: { name }, body: { hash: plugin.hash } }))
      setState({ busy: false, failure: null })
      announce(t('Plug-in “{{title}}” confirmed', { title: titleOfPlugin(plugin) }))
    } catch (failure) {
      setState({ busy: false, failure })
      await reload()
    }
  })
  if (plugin === undefined)
    return (
      <Dialog open side title={name} onClose={onClose}>
        <div className="flex flex-col items-start gap-3">
          <p>{t('There’s no plug-in with this name here. Add it from its folder, then confirm it.')}</p>
          <AddCommand folder={name} />
        </div>
      </Dialog>
    )
  const { status, manifest, confirmed_manifest: confirmed, readme } = plugin
  const isWaiting = status === 'unconfirmed' || status === 'changed'
  const title = titleOfPlugin(plugin)
  return (
    <Dialog
      open
      side
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button needs={removePluginRoute} onClick={() => setRemoving(true)}>
            {t('Remove')}
          </Button>
          {isWaiting ? (
            <Button
              look="primary"
              needs={confirmPluginRoute}
              busy={state.busy}
              onClick={() => void confirm()}
            >
              {status === 'changed' ? t('Confirm again') : t('Confirm')}
            </Button>
          ) : null}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {state.failure === null ? null : (
          <ErrorNotice error={asAppError(state.failure)} title={t('Couldn’t confirm plug-in')} />
        )}
        <div className="flex flex-col gap-2">
          {manifest === null ? null : <p>{translatePluginText(manifest.description, manifest)}</p>}
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
            <PluginState status={status} />
            <code>{plugin.name}</code>
            <span className="tabular">{versionsOf(manifest, confirmed)}</span>
          </p>
          <Standing plugin={plugin} />
        </div>
        {manifest === null ? null : (
          <Card stacked title={t('What it can reach')}>
            <Abilities abilities={abilitiesOf(manifest, confirmed)} isCompared={confirmed !== null} />
          </Card>
        )}
        {manifest === null ? null : <Additions plugin={plugin} manifest={manifest} />}
        <Files plugin={plugin} />
        {readme === '' ? null : (
          <Card stacked title={t('README')}>
            <div className="flex flex-col gap-3 [overflow-wrap:anywhere]">
              <Markdown text={readme.replace(/^# .*\n+/, '')} openerOf={() => undefined} />
            </div>
          </Card>
        )}
      </div>
      <RemoveDialog
        plugin={plugin}
        open={isRemoving}
        onClose={() => setRemoving(false)}
        onConfirm={async () => {
          await after(api.call(removePluginRoute, { params: { name } }))
          announce(t('Plug-in “{{title}}” removed', { title }))
          onClose()
        }}
      />
    </Dialog>
  )
}

/** `1.0.0`, or `1.0.0 → 1.1.0` if it has changed. */
function versionsOf(manifest: PluginManifest | null, confirmed: PluginManifest | null): string {
  const versions = [confirmed?.version, manifest?.version].filter((version) => version !== undefined)
  return [...new Set(versions)].join(' → ')
}

/** Why it runs or doesn't, and what to do. */
function Standing({ plugin }: { readonly plugin: Plugin }) {
  const { status, problem, confirmed_at: at } = plugin
  if (status === 'broken')
    return (
      <p className="text-error [overflow-wrap:anywhere]">
        {t('It can’t be used: {{problem}}. Fix its files and add it again.', {
          problem: translateMessage(problem ?? '', plugin),
        })}
      </p>
    )
  if (status === 'unconfirmed')
    return (
      <p>{t('It doesn’t run until you confirm what it can reach. Confirm only plug-ins that you trust.')}</p>
    )
  const time = at === null ? '' : <Time at={at} />
  return (
    <p>
      {status === 'changed' ? (
        <Trans
          text="Its files have changed since they were confirmed <time/>. It doesn’t run until you confirm them again."
          parts={{ time }}
        />
      ) : (
        <Trans text="Confirmed <time/>. It runs as long as its files stay the same." parts={{ time }} />
      )}
    </p>
  )
}

function Abilities({
  abilities,
  isCompared,
}: {
  readonly abilities: readonly Ability[]
  readonly isCompared: boolean
}) {
  const isSame = abilities.every(({ change }) => change === 'same')
  return (
    <>
      {abilities.some(({ change }) => change !== 'gone') ? null : (
        <p>{t('Nothing: it can only compute with what a step passes to it.')}</p>
      )}
      {isCompared ? (
        <p className="text-muted">
          {isSame ? t('Unchanged since it was confirmed.') : t('It differs from what was confirmed:')}
        </p>
      ) : null}
      <ul className="flex flex-col gap-2 empty:hidden">
        {abilities.map(({ text, change }) => {
          const [Icon, color, word] = CHANGES[change]
          return (
            <li key={text} className="flex items-start gap-2">
              <Icon size={14} aria-hidden className={`mt-0.5 shrink-0 ${color}`} />
              <span className="min-w-0 [overflow-wrap:anywhere]">
                {change === 'gone' ? <s className="text-muted">{text}</s> : text}
                {word === null ? null : (
                  <span className={`ml-2 text-sm font-medium ${color}`}>{t(word)}</span>
                )}
              </span>
            </li>
          )
        })}
      </ul>
    </>
  )
}

const CHANGES = {
  same: [Check, 'text-muted', null],
  new: [Plus, 'text-retrying', english('new')],
  gone: [Minus, 'text-muted', english('no longer')],
} as const

/** The steps, triggers and filters that it adds once it is confirmed, as the app shows them elsewhere. */
function Additions({ plugin, manifest }: { readonly plugin: Plugin; readonly manifest: PluginManifest }) {
  const inLanguage = (text: string) => translatePluginText(text, manifest)
  const partsOf = (parts: readonly PluginPart[]) =>
    parts.map(({ name, icon, label, description }): AdditionProps => ({
      key: name,
      icon,
      label: inLanguage(label),
      hint: inLanguage(description),
    }))
  const groups: readonly (readonly [string, readonly AdditionProps[]])[] = [
    [t('Steps'), partsOf(manifest.steps)],
    [t('Triggers'), partsOf(manifest.triggers)],
    [
      t('Filters'),
      manifest.filters.map((one) => ({
        key: one.name,
        icon: 'braces',
        label: <code>{filterName(manifest.name, one)}</code>,
        hint: inLanguage(one.description),
      })),
    ],
    [
      t('Connectors'),
      plugin.connectors.map(({ id, name, base_domain: origin, actions }) => ({
        key: id,
        icon: 'cable',
        label: name,
        hint: `${origin} · ${plural(actions.length, 'action')}`,
      })),
    ],
  ]
  const shown = groups.filter(([, additions]) => additions.length > 0)
  if (shown.length === 0) return null
  return (
    <Card stacked title={t('What it adds')}>
      {shown.map(([group, additions]) => (
        <section key={group} className="flex flex-col gap-2">
          <h3 className="font-medium text-muted">{group}</h3>
          <ul className="flex flex-col gap-2">
            {additions.map(({ key, icon, label, hint }) => (
              <li key={key} className="flex items-start gap-2">
                <AnyIcon name={icon} size={14} className="mt-0.5 shrink-0 text-muted" />
                <div className="min-w-0 [overflow-wrap:anywhere]">
                  {label}
                  <p className="text-muted">{hint}</p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Card>
  )
}

interface AdditionProps {
  readonly key: string
  readonly icon: string
  readonly label: ReactNode
  readonly hint: string
}

function Files({ plugin: { files, hash } }: { readonly plugin: Plugin }) {
  return (
    <Card stacked title={t('Files')}>
      <p className="flex items-center gap-2 text-muted">
        {HASHED_BY} <code title={hash}>{`${hash.slice(0, 12)}…`}</code>
        <CopyIcon label={t('Copy hash')} text={hash} />
      </p>
      <ul className="flex flex-col gap-1">
        {files.map(({ path, size }) => (
          <li key={path} className="flex justify-between gap-4">
            <code className="min-w-0 [overflow-wrap:anywhere]">{path}</code>
            <span className="tabular shrink-0 text-muted">{formatBytes(size)}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const HASHED_BY = 'SHA-256'

interface RemoveDialogProps {
  readonly plugin: Plugin
  readonly open: boolean
  readonly onClose: () => void
  readonly onConfirm: () => Promise<void>
}

function RemoveDialog({ plugin, open, onClose, onConfirm }: RemoveDialogProps) {
  const flows = useResource(open ? FLOWS : null).data ?? []
  const using = flows.filter(({ steps }) =>
    stepsWithin(steps).some(({ type, config }) => TYPES.has(type) && config['plugin'] === plugin.name),
  )
  return (
    <ConfirmDialog
      open={open}
      title={t('Remove “{{title}}”?', { title: titleOfPlugin(plugin) })}
      action={t('Remove plug-in')}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {using.length === 0
        ? t('Its folder will be deleted. No flow uses the plug-in.')
        : t('Its folder will be deleted, and its steps in {{flows}} will fail.', {
            flows: using.map(({ name }) => `“${name}”`).join(', '),
          })}
    </ConfirmDialog>
  )
}

const TYPES: ReadonlySet<string> = new Set(['plugin', 'plugin_trigger'])
