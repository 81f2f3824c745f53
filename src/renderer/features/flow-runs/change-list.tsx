import type { DataChange } from '../../../shared/contract/run-debugging.ts'
import { formatJson } from '../../lib/json.ts'
import { t } from '../../lib/i18n.ts'
import { toJsonPath } from '../../lib/json-rows.ts'

const SHOWN_CHARACTERS = 400

/** Places where two values differ: the old value and the new one. */
export function ChangeList({
  changes,
  label,
}: {
  readonly changes: readonly DataChange[]
  readonly label: string
}) {
  return (
    <table aria-label={label} className="w-full table-fixed border-collapse">
      <thead className="text-left text-muted">
        <tr className="border-b border-line">
          <th className="w-[30%] px-4 py-1 font-medium">{t('Path')}</th>
          <th className="px-2 py-1 font-medium">{t('Other run')}</th>
          <th className="px-2 py-1 font-medium">{t('This run')}</th>
        </tr>
      </thead>
      <tbody className="font-mono">
        {changes.map((change) => (
          <tr key={toJsonPath(change.at)} className="border-b border-line align-top last:border-0">
            <th scope="row" className="px-4 py-1 text-left font-normal break-all text-data-key">
              {toJsonPath(change.at)}
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
