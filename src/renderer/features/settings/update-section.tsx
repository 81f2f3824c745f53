import { useEffect } from 'react'
import type { DesktopChange, DesktopSettings } from '../../../shared/desktop/settings.ts'
import { Button } from '../../components/controls/button.tsx'
import { Switch } from '../../components/controls/field.tsx'
import { attempt } from '../../components/screen/toast.tsx'
import { t } from '../../lib/i18n.ts'

interface UpdateSectionProps {
  readonly desktop: NonNullable<Window['desktop']>
  readonly settings: DesktopSettings
  readonly onChange: (settings: DesktopSettings) => void
}

const PASSING: ReadonlySet<string> = new Set(['looking', 'downloading', 'waiting', 'installing'])
const LOOK_EVERY_MS = 1_000

/** Newer versions of the app; absent if the package doesn't say where they are. */
export function UpdateSection({ desktop, settings, onChange }: UpdateSectionProps) {
  const { status } = settings.update
  useEffect(() => {
    if (!PASSING.has(status)) return undefined
    const timer = setInterval(() => void desktop.settings().then(onChange), LOOK_EVERY_MS)
    return () => clearInterval(timer)
  }, [desktop, status, onChange])
  if (status === 'none') return null

  const change = (changes: DesktopChange) =>
    attempt(t('Couldn’t change desktop settings'), async () =>
      onChange(await desktop.changeSettings(changes)),
    )

  return (
    <section aria-label={t('Updates')} className="flex flex-col items-start gap-2">
      <Switch
        label={t('Check for updates once a day')}
        hint={t('Asks GitHub for the newest version. Nothing is installed without your consent.')}
        checked={settings.check_updates}
        onChange={(on) => void change({ check_updates: on })}
      />
      <p role="status" className="text-muted">
        {aboutUpdate(settings.update)}
      </p>
      {status === 'available' ? (
        <Button look="primary" onClick={() => void change({ update: 'install' })}>
          {t('Update and restart')}
        </Button>
      ) : status === 'waiting' ? (
        <Button onClick={() => void change({ update: 'cancel' })}>{t('Not now')}</Button>
      ) : PASSING.has(status) ? null : (
        <Button onClick={() => void change({ update: 'look' })}>{t('Check for updates')}</Button>
      )}
    </section>
  )
}

function aboutUpdate({ status, version, message }: DesktopSettings['update']): string {
  const known = { version: version ?? '' }
  switch (status) {
    case 'looking':
      return t('Checking for updates…')
    case 'current':
      return t('This is the newest version.')
    case 'available':
      return t('Millrace {{version}} is available. A backup is created before it is installed.', known)
    case 'downloading':
      return t('Downloading Millrace {{version}}…', known)
    case 'waiting':
      return t('Millrace {{version}} will be installed as soon as no run is active.', known)
    case 'installing':
      return t('Installing Millrace {{version}}…', known)
    case 'failed':
      return t('The update failed: {{message}}', { message: message ?? '' })
    default:
      return ''
  }
}
