import { Check, Copy } from '../../lib/icons.tsx'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { Button, IconButton } from '../controls/button.tsx'
import { announceFailure } from '../screen/toast.tsx'

interface CopyProps {
  /** The text to copy; a function if it is expensive to make. */
  readonly text: string | (() => string)
  /** Names the object: `Copy URL`. */
  readonly label: string
}

/** An icon that copies and confirms it for a moment. */
export function CopyIcon({ text, label }: CopyProps) {
  const [copied, copy] = useCopy(text)
  return <IconButton small label={copied ? t('Copied') : label} icon={copied ? Check : Copy} onClick={copy} />
}

/** The same with a visible label. */
export function CopyButton({ text, label, primary }: CopyProps & { readonly primary?: boolean }) {
  const [copied, copy] = useCopy(text)
  return (
    <Button look={primary ? 'primary' : 'secondary'} icon={copied ? Check : Copy} onClick={copy}>
      <span aria-live="polite">{copied ? t('Copied') : label}</span>
    </Button>
  )
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch (error) {
    announceFailure(t('Couldn’t copy: clipboard access denied'), error)
    return false
  }
}

const SHOWN_MS = 1_600

/** Whether it was copied a moment ago, and the function that copies. */
export function useCopy(text: string | (() => string)): [boolean, () => void] {
  const [copied, setCopied] = useState(false)
  async function copy() {
    if (!(await copyText(typeof text === 'string' ? text : text()))) return
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return [copied, () => void copy()]
}
