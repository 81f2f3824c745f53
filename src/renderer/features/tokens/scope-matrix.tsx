import { useId } from 'react'
import { SCOPES } from '../../../shared/contract/base/scopes.ts'
import { Trans } from '../../lib/trans.tsx'
import { english, t } from '../../lib/i18n.ts'
import { describeScopes } from './describe-scopes.ts'

interface ScopeMatrixProps {
  readonly value: readonly string[]
  readonly onChange: (scopes: string[]) => void
  readonly error?: string | undefined
}

const ROWS = [
  ['automation', english('flows and runs; can also read connector auths, variables and files')],
  ['connectors', english('connectors and their actions')],
  ['connector_auth', english('connector auths, but never their secrets')],
  ['company', english('settings, variables, files, users and teams')],
] as const

const COLUMNS = [
  ['', english('None')],
  [':view', english('View')],
  [':manage', english('Manage')],
  ['all', english('All')],
] as const

const WEBHOOK_RUN = 'automation:webhook_run'

/** A token's permissions: a row per entity, the extent in columns, and a summary below. */
export function ScopeMatrix({ value, onChange, error }: ScopeMatrixProps) {
  const name = useId()
  const startsAnyway = value.includes('automation') || value.includes('automation:manage')

  function choose(row: string, extension: string) {
    const rest = value.filter(
      (scope) => scope !== row && (!scope.startsWith(`${row}:`) || scope === WEBHOOK_RUN),
    )
    const chosen = extension === '' ? [] : [extension === 'all' ? row : row + extension]
    const next = [...rest, ...chosen]
    const covered = next.includes('automation') || next.includes('automation:manage')
    onChange(inOrder(covered ? next.filter((scope) => scope !== WEBHOOK_RUN) : next))
  }

  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1.5 font-medium">{t('Permissions')}</legend>
      <div className="overflow-x-auto">
        <table className="w-full border-collapse rounded">
          <thead>
            <tr className="border-b border-line text-sm text-muted">
              <th scope="col" className="py-1 text-left font-medium">
                {t('Scope')}
              </th>
              {COLUMNS.map(([extension, label]) => (
                <th key={extension} scope="col" className="w-16 py-1 text-center font-medium">
                  {t(label)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {ROWS.map(([row, hint]) => (
              <ScopeRow key={row} name={name} row={row} hint={t(hint)} value={value} onChoose={choose} />
            ))}
          </tbody>
        </table>
      </div>
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-0.5 size-4 accent-(--accent)"
          checked={startsAnyway || value.includes(WEBHOOK_RUN)}
          disabled={startsAnyway}
          onChange={(event) =>
            onChange(
              inOrder(
                event.target.checked
                  ? [...value, WEBHOOK_RUN]
                  : value.filter((scope) => scope !== WEBHOOK_RUN),
              ),
            )
          }
        />
        <span>
          <Trans
            text="Start webhook flows <code/>"
            parts={{ code: <code className="text-code text-faint">{WEBHOOK_RUN}</code> }}
          />
          {startsAnyway ? (
            <span className="block text-sm text-muted">{t('Included in the automation scope above.')}</span>
          ) : null}
        </span>
      </label>
      <div aria-live="polite" className="rounded bg-sunken px-3 py-2 text-sm">
        {value.length === 0 ? (
          <p className={error === undefined ? 'text-muted' : 'text-error'}>
            {error ?? t('Select at least one scope. A token without scopes can’t do anything.')}
          </p>
        ) : (
          describeScopes(value).map((sentence) => <p key={sentence}>{sentence}</p>)
        )}
      </div>
    </fieldset>
  )
}

interface ScopeRowProps {
  /** The name of the group of radio buttons. */
  readonly name: string
  readonly row: string
  readonly hint: string
  readonly value: readonly string[]
  readonly onChoose: (row: string, extension: string) => void
}

function ScopeRow({ name, row, hint, value, onChoose }: ScopeRowProps) {
  return (
    <tr className="border-b border-line">
      <th scope="row" className="h-8 pr-3 text-left font-normal">
        <code className="text-code font-medium">{row}</code>
        <span className="ml-3 text-sm text-muted">{hint}</span>
      </th>
      {COLUMNS.map(([extension, column]) => (
        <td key={extension} className="text-center">
          <input
            type="radio"
            name={`${name}-${row}`}
            aria-label={`${row}: ${t(column)}`}
            className="size-4 accent-(--accent)"
            checked={isChosen(value, row, extension)}
            onChange={() => onChoose(row, extension)}
          />
        </td>
      ))}
    </tr>
  )
}

function isChosen(value: readonly string[], row: string, extension: string): boolean {
  if (extension === 'all') return value.includes(row)
  if (extension !== '') return value.includes(row + extension)
  return !['', ':view', ':manage'].some((other) => value.includes(row + other))
}

function inOrder(scopes: readonly string[]): string[] {
  return SCOPES.filter((scope) => scopes.includes(scope))
}
