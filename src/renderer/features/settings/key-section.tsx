import { useState } from 'react'
import { type DesktopSettings, SHORTEST_PASSPHRASE } from '../../../shared/desktop/settings.ts'
import { Button } from '../../components/controls/button.tsx'
import { Field, TextInput } from '../../components/controls/field.tsx'
import { SaveDialog } from '../../components/screen/save-dialog.tsx'
import { t } from '../../lib/i18n.ts'

interface KeySectionProps {
  readonly desktop: NonNullable<Window['desktop']>
  readonly settings: DesktopSettings['key']
  readonly onChanged: () => void
}

/** Where the key to stored credentials is; if it is in a file, a passphrase can protect it. */
export function KeySection({ desktop, settings, onChanged }: KeySectionProps) {
  const [dialog, setDialog] = useState<'set' | 'remove' | null>(null)
  const { place, path, is_protected: isProtected } = settings
  const close = () => {
    setDialog(null)
    onChanged()
  }
  return (
    <section aria-label={t('Key to stored credentials')} className="flex flex-col items-start gap-2">
      <h3 className="font-medium">{t('Key to stored credentials')}</h3>
      {place === 'file' ? <code className="text-code break-all">{path}</code> : null}
      <p className="text-muted">{aboutKey(settings)}</p>
      {place !== 'file' ? null : (
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setDialog('set')}>
            {isProtected ? t('Change passphrase') : t('Protect with a passphrase')}
          </Button>
          {isProtected ? <Button onClick={() => setDialog('remove')}>{t('Remove passphrase')}</Button> : null}
        </div>
      )}
      {dialog === null ? null : (
        <PassphraseDialog
          desktop={desktop}
          isProtected={isProtected}
          removes={dialog === 'remove'}
          onClose={close}
        />
      )}
    </section>
  )
}

function aboutKey({ place, is_protected: isProtected }: DesktopSettings['key']): string {
  if (place === 'environment') return t('It is in Millrace’s environment.')
  if (place === 'keychain') return t('It is in your system’s keychain.')
  return isProtected
    ? t('Millrace asks for its passphrase at each start.')
    : t('Your desktop has no keychain, so the key is in a file that only your user can read.')
}

interface PassphraseDialogProps {
  readonly desktop: NonNullable<Window['desktop']>
  readonly isProtected: boolean
  readonly removes: boolean
  readonly onClose: () => void
}

function PassphraseDialog({ desktop, isProtected, removes, onClose }: PassphraseDialogProps) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [again, setAgain] = useState('')

  async function save() {
    if (!removes && next.length < SHORTEST_PASSPHRASE)
      throw new Error(t('A passphrase needs at least {{count}} characters.', { count: SHORTEST_PASSPHRASE }))
    if (!removes && next !== again) throw new Error(t('The passphrases don’t match.'))
    await desktop.changePassphrase({ current: isProtected ? current : null, next: removes ? null : next })
  }

  return (
    <SaveDialog
      title={removes ? t('Remove passphrase') : t('Passphrase of the key')}
      action={removes ? t('Remove passphrase') : t('Save')}
      failed={t('Couldn’t change the passphrase')}
      saved={removes ? t('Passphrase removed') : t('Passphrase saved')}
      onSave={save}
      onClose={onClose}
    >
      {() => (
        <>
          {isProtected ? (
            <Field label={t('Current passphrase')}>
              <TextInput type="password" value={current} onChange={setCurrent} />
            </Field>
          ) : null}
          {removes ? null : (
            <>
              <Field label={t('New passphrase')}>
                <TextInput type="password" value={next} onChange={setNext} />
              </Field>
              <Field label={t('Repeat passphrase')}>
                <TextInput type="password" value={again} onChange={setAgain} />
              </Field>
              <p className="text-muted">
                {t('Nobody can recover it. Without it, you have to enter stored credentials again.')}
              </p>
            </>
          )}
        </>
      )}
    </SaveDialog>
  )
}
