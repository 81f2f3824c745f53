import type { IssuedToken } from '../../../shared/contract/tokens.ts'
import { Button } from '../../components/button.tsx'
import { CopyIcon, copyText } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { announce } from '../../components/toast.tsx'
import { formatExact } from '../../lib/format.ts'
import { toSnippet } from '../../lib/snippets.ts'

/** The only sight of a token's value: nothing but taking it, or saying that it is stored, leaves this dialog. */
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
    announce('Copied the token')
    onClose()
  }

  return (
    <Dialog
      open
      insistent
      wide
      title="Store this token now"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>I have stored it</Button>
          <Button look="primary" data-first-focus onClick={() => void copyAndClose()}>
            Copy and close
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <p>
          Its value is shown this once: Millrace keeps only a fingerprint of it.{' '}
          {issued.expiration === null
            ? 'It never ends by itself.'
            : `It ends on ${formatExact(Date.parse(issued.expiration))}.`}
        </p>
        <Line label="Token" text={issued.token} large />
        <Line label="For a .env file" text={`MILLRACE_TOKEN=${issued.token}`} />
        <Line label="Try it" text={curl} />
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
        <h3 className="text-sm font-medium">{label}</h3>
        <CopyIcon label={`Copy ${label.toLowerCase()}`} text={text} />
      </div>
      <pre
        className={`rounded border border-line bg-sunken px-3 py-2 break-all whitespace-pre-wrap ${large ? 'font-medium' : 'text-sm'}`}
      >
        {text}
      </pre>
    </div>
  )
}
