import { Lock } from '../../lib/icons.tsx'
import { t } from '../../lib/i18n.ts'
import { type Needs, useRefusal } from '../controls/needs.ts'

/** Warns before anything is typed that it can't be saved. */
export function ViewOnlyNotice({ needs }: { readonly needs: Needs }) {
  const refusal = useRefusal(needs)
  if (refusal === null) return null
  return (
    <p
      role="status"
      className="flex shrink-0 items-center gap-2 border-b border-line bg-sunken px-4 py-2 text-muted"
    >
      <Lock size={13} aria-hidden className="shrink-0" />
      <span className="min-w-0">
        <strong className="font-medium text-text">{t('Changes on this page can’t be saved.')}</strong>{' '}
        {refusal}
      </span>
    </p>
  )
}
