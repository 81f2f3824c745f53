import { useEffect, useState } from 'react'
import type { DesktopChange, DesktopSettings } from '../../../shared/desktop/settings.ts'
import { Button } from '../../components/controls/button.tsx'
import { Switch } from '../../components/controls/field.tsx'
import { Card } from '../../components/screen/page.tsx'
import { attempt } from '../../components/screen/toast.tsx'
import { CopyIcon } from '../../components/values/copy-button.tsx'
import { KeySection } from './key-section.tsx'
import { t } from '../../lib/i18n.ts'
import { UpdateSection } from './update-section.tsx'

/** Settings of the desktop app itself, which take effect at once. Absent in a browser. */
export function DesktopCard() {
  return window.desktop === undefined ? null : <DesktopForm desktop={window.desktop} />
}

function DesktopForm({ desktop }: { readonly desktop: NonNullable<Window['desktop']> }) {
  const [settings, setSettings] = useState<DesktopSettings | null>(null)
  useEffect(() => void desktop.settings().then(setSettings), [desktop])
  if (settings === null) return null

  const change = (changes: DesktopChange) =>
    attempt(t('Couldn’t change desktop settings'), async () =>
      setSettings(await desktop.changeSettings(changes)),
    )

  const move = () => attempt(t('Couldn’t move the data folder'), () => desktop.moveDataFolder())

  return (
    <Card stacked title={t('Desktop app')}>
      <Switch
        label={t('Keep running in the tray')}
        hint={
          settings.has_tray
            ? t('When you close the window, schedules and webhooks keep running.')
            : t('Your desktop has no tray, so closing the window quits Millrace.')
        }
        checked={settings.keep_running === true}
        disabled={!settings.has_tray}
        onChange={(on) => void change({ keep_running: on })}
      />
      <Switch
        label={t('Start when you log in')}
        hint={
          settings.has_tray ? t('Starts in the tray, without a window.') : t('Starts with its window open.')
        }
        checked={settings.start_at_login}
        onChange={(on) => void change({ start_at_login: on })}
      />
      <Switch
        label={t('Check spelling in notes')}
        hint={settings.downloads_dictionaries ? t('Downloads a dictionary from Google.') : undefined}
        checked={settings.spell_check}
        onChange={(on) => void change({ spell_check: on })}
      />
      <UpdateSection desktop={desktop} settings={settings} onChange={setSettings} />
      <KeySection
        desktop={desktop}
        settings={settings.key}
        onChanged={() => void desktop.settings().then(setSettings)}
      />
      <DataFolder folder={settings.data_folder} onMove={() => void move()} />
      <Command command={settings.command} onChange={(command) => void change({ command })} />
    </Card>
  )
}

interface DataFolderProps {
  readonly folder: DesktopSettings['data_folder']
  readonly onMove: () => void
}

function DataFolder({ folder, onMove }: DataFolderProps) {
  return (
    <section aria-label={t('Location of the data')} className="flex flex-col items-start gap-2">
      <h3 className="font-medium">{t('Location of the data')}</h3>
      <code className="text-code break-all">{folder.path}</code>
      {folder.is_given ? (
        <p className="text-muted">{t('Set by --data-dir or MILLRACE_DATA_DIR.')}</p>
      ) : (
        <Button onClick={onMove}>{t('Move…')}</Button>
      )}
    </section>
  )
}

interface CommandProps {
  readonly command: DesktopSettings['command']
  readonly onChange: (isInstalled: boolean) => void
}

function Command({ command: { path, state, on_path: onPath }, onChange }: CommandProps) {
  return (
    <section aria-label={t('Command line')} className="flex flex-col items-start gap-2">
      <h3 className="font-medium">{t('Command line')}</h3>
      <p className="flex min-w-0 items-center gap-1">
        <code className="min-w-0 text-code break-all">{path}</code>
        <CopyIcon label={t('Copy path')} text={path} />
      </p>
      {state === 'foreign' ? (
        <p className="text-muted">{t('This file belongs to another program. Rename it first.')}</p>
      ) : state === 'installed' && !onPath ? (
        <p className="text-muted">{t('Add its folder to your PATH, then open a new terminal.')}</p>
      ) : null}
      {state === 'installed' ? (
        <Button onClick={() => onChange(false)}>{t('Remove command')}</Button>
      ) : (
        <Button disabled={state === 'foreign'} onClick={() => onChange(true)}>
          {t('Install command')}
        </Button>
      )}
    </section>
  )
}
