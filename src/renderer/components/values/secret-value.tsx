import { Eye, EyeOff } from '../../lib/icons.tsx'
import { useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { IconButton } from '../controls/button.tsx'
import { CopyIcon } from './copy-button.tsx'

/** A secret that is hidden until it is revealed; it can be copied without being shown. */
export function SecretValue({ value, label }: { readonly value: string; readonly label: string }) {
  const [shown, setShown] = useState(false)
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 truncate text-code">{shown ? value : mask(value)}</code>
      <IconButton
        small
        label={shown ? t('Hide {{label}}', { label }) : t('Show {{label}}', { label })}
        icon={shown ? EyeOff : Eye}
        onClick={() => setShown(!shown)}
      />
      <CopyIcon label={t('Copy {{label}}', { label })} text={value} />
    </span>
  )
}

/** `mr_whk_••••••••3fQ2`, which is enough to tell two apart. */
export function mask(secret: string): string {
  const prefix = /^mr_[a-z]+_/.exec(secret)?.[0] ?? ''
  return `${prefix}••••••••${secret.slice(-4)}`
}
