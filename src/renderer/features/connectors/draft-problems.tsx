import { CircleAlert } from '../../lib/icons.tsx'
import { fieldsOf } from '../../api/failure.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'
import { plural } from '../../lib/format.ts'
import type { Refusal } from './save-changes.ts'

export type ConnectorView = 'actions' | 'connection' | 'paging' | 'about'

export interface Problem {
  readonly actionId: string | null
  readonly view: ConnectorView
  /** The label of the field; null if the problem belongs to no field. */
  readonly label: string | null
  readonly message: string
}

/** One problem per refused field. */
export function problemsOf(refusals: readonly Refusal[]): readonly Problem[] {
  return refusals.flatMap(({ actionId, error }): readonly Problem[] => {
    const fields = Object.entries(fieldsOf(error))
    if (fields.length === 0)
      return [
        { actionId, view: actionId === null ? 'about' : 'actions', label: null, message: error.message },
      ]
    return fields.map(([field, sentences]) => {
      const message = sentences.join('; ')
      if (actionId !== null)
        return { actionId, view: 'actions', label: labelIn(ACTION_LABELS, field), message }
      const place = placeIn(CONNECTOR_PLACES, field)
      return { actionId, view: place?.[0] ?? 'about', label: place === null ? field : t(place[1]), message }
    })
  })
}

interface DraftProblemsProps {
  readonly problems: readonly Problem[]
  /** Whether anything was saved. */
  readonly isPart: boolean
  readonly nameOf: (actionId: string) => string
  readonly onChoose: (problem: Problem) => void
}

/** The refused parts by action and field. Each one is a button that goes there. */
export function DraftProblems({ problems, isPart, nameOf, onChoose }: DraftProblemsProps) {
  return (
    <section
      role="alert"
      aria-label={t('Problems')}
      className="flex shrink-0 items-start gap-2.5 border-b border-error/40 bg-error-soft px-4 py-2.5"
    >
      <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-error" />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <p className="font-medium">
          {isPart
            ? t('Saved, except for {{problems}}', { problems: plural(problems.length, 'problem') })
            : t('Nothing was saved: {{problems}}', { problems: plural(problems.length, 'problem') })}
        </p>
        <ul className="flex max-h-40 flex-col overflow-y-auto">
          {problems.map((problem) => (
            <li key={`${problem.actionId} ${problem.label} ${problem.message}`}>
              <button
                type="button"
                onClick={() => onChoose(problem)}
                className="max-w-full rounded-sm py-0.5 text-left break-words hover:underline"
              >
                <span className="font-medium">{placeOf(problem, nameOf)}</span> {problem.message}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

/** Focuses the control with this label. False if no such label is visible. */
export function focusField(root: HTMLElement | null, label: string): boolean {
  const labels = [...(root?.querySelectorAll<HTMLElement>('label, legend') ?? [])]
  const found = labels.find((one) => nameIn(one) === label && one.offsetParent !== null)
  const box = found?.parentElement?.parentElement
  const target =
    box?.querySelector<HTMLElement>('input:not([type="hidden"]), textarea, .cm-content') ??
    box?.querySelector<HTMLElement>('button')
  target?.focus()
  return target !== undefined && target !== null
}

/** The name in a label, without a suffix such as a count or "optional". */
function nameIn(label: HTMLElement): string {
  return label.firstChild?.textContent?.trim() ?? ''
}

function placeOf({ actionId, label }: Problem, nameOf: (id: string) => string): string {
  const words = [actionId === null ? t('Connector') : nameOf(actionId), label]
  return `${words.filter((word) => word !== null).join(' · ')}:`
}

/** Finds the longest known prefix: `pagination_config` for `pagination_config[1].query`. */
function placeIn<T>(places: Readonly<Record<string, T>>, field: string): T | null {
  const known = Object.keys(places).filter((key) => field === key || /^[.[]/.test(field.slice(key.length)))
  const own = known.filter((key) => field.startsWith(key)).toSorted((a, b) => b.length - a.length)[0]
  return own === undefined ? null : (places[own] ?? null)
}

function labelIn(labels: Readonly<Record<string, English>>, field: string): string {
  const label = placeIn(labels, field)
  return label === null ? field : t(label)
}

const ACTION_LABELS: Readonly<Record<string, English>> = {
  name: english('Name'),
  title: english('Title'),
  method: english('Method'),
  endpoint: english('Path'),
  query: english('Query'),
  headers: english('Headers'),
  body: english('Body'),
  short_description: english('Description'),
  tag: english('Group'),
  ui_form_schema: english('Step form'),
}

const CONNECTOR_PLACES: Readonly<Record<string, readonly [ConnectorView, English]>> = {
  name: ['about', english('Name')],
  status: ['about', english('Status')],
  short_description: ['about', english('Description')],
  long_description: ['about', english('Description')],
  external_docs: ['about', english('Documentation URL')],
  base_domain: ['connection', english('Base URL')],
  allowed_origins: ['connection', english('Allowed origins for next-page links')],
  rate_limit: ['connection', english('Calls per period')],
  'header.header_key': ['connection', english('Header')],
  'header.token_prefix': ['connection', english('Value')],
  'header.content_type': ['connection', english('Content-Type')],
  'header.custom_headers': ['connection', english('More headers')],
  'url_token_extension.key': ['connection', english('Parameter')],
  'url_token_extension.value': ['connection', english('Value')],
  test_action: ['connection', english('Test action for connector auths')],
  'auth_config.auth_form': ['connection', english('Credentials form')],
  auth_config: ['connection', english('Credentials')],
  pagination_config: ['paging', english('Pagination')],
  search_config: ['paging', english('Remote search')],
}
