import type { IssuedToken } from '../../../shared/contract/tokens.ts'
import { Button } from '../../components/controls/button.tsx'
import { CopyIcon, copyText } from '../../components/values/copy-button.tsx'
import { Dialog } from '../../components/screen/dialog.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { formatExact } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { toSnippet } from '../../lib/snippets.ts'

/** The only time a token's value is shown. Only copying it, or confirming that it is stored, closes this dialog. */
export function IssuedDialog({
  issued,
  onClose,
}: {
  readonly issued: IssuedToken
  readonly onClose: () => void
}) {
  const curl = toSnippet('curl', {
    method: 'GET',
    url: `${window.location.origin}/v1/personal-access-tokens`,
    headers: { Authorization: `Bearer ${issued.token}` },
  })

  async function copyAndClose() {
    if (!(await copyText(issued.token))) return
    announce(t('Token copied'))
    onClose()
  }

  return (
    <Dialog
      open
      insistent
      wide
      title={t('Copy this token now')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Done')}</Button>
          <Button look="primary" data-first-focus onClick={() => void copyAndClose()}>
            {t('Copy and close')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>
          {t('The value is shown only now. Millrace stores only a hash of it.')}{' '}
          {issued.expiration === null
            ? t('Never expires.')
            : t('Expires on {{date}}.', { date: formatExact(Date.parse(issued.expiration)) })}
        </p>
        <Line label={t('Token')} text={issued.token} large />
        <Line label={t('For an .env file')} text={`MILLRACE_TOKEN=${issued.token}`} />
        <Line label={t('Try it')} text={curl} />
      </div>
    </Dialog>
  )
}

function Line({
  label,
  text,
  large,
}: {
  readonly label: string
  readonly text: string
  readonly large?: boolean
}) {
  return (
    <div>
      <div className="flex items-center justify-between">
        <h3 className="font-medium">{label}</h3>
        <CopyIcon label={t('Copy {{label}}', { label: label.toLowerCase() })} text={text} />
      </div>
      <pre
        className={`rounded border border-line bg-sunken px-3 py-2 break-all whitespace-pre-wrap ${large ? 'font-medium' : 'text-code'}`}
      >
        {text}
      </pre>
    </div>
  )
}
