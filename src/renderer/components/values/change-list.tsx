import { formatJson } from '../../lib/json.ts'
import { t } from '../../lib/i18n.ts'

const SHOWN_CHARACTERS = 400

/** A place where two values differ; a side is absent if it has no value there. */
export interface Change {
  readonly path: string
  readonly before?: unknown
  readonly after?: unknown
}

interface ChangeListProps {
  readonly changes: readonly Change[]
  readonly label: string
  /** Headings of the two columns. */
  readonly before: string
  readonly after: string
}

/** Places where two values differ, with both values. */
export function ChangeList({ changes, label, before, after }: ChangeListProps) {
  return (
    <table aria-label={label} className="w-full table-fixed border-collapse">
      <thead className="text-left text-muted">
        <tr className="border-b border-line">
          <th className="w-[30%] px-4 py-1 font-medium">{t('Path')}</th>
          <th className="px-2 py-1 font-medium">{before}</th>
          <th className="px-2 py-1 font-medium">{after}</th>
        </tr>
      </thead>
      <tbody className="font-mono">
        {changes.map((change) => (
          <tr key={change.path} className="border-b border-line align-top last:border-0">
            <th scope="row" className="px-4 py-1 text-left font-normal break-all text-data-key">
              {change.path}
            </th>
            <Side value={change.before} className="bg-error-soft" />
            <Side value={change.after} className="bg-success-soft" />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Side({ value, className }: { readonly value: unknown; readonly className: string }) {
  if (value === undefined) return <td className="px-2 py-1 font-sans text-faint">{t('missing')}</td>
  const text = formatJson(value)
  return (
    <td className={`px-2 py-1 [overflow-wrap:anywhere] whitespace-pre-wrap ${className}`}>
      {text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text}
    </td>
  )
}
