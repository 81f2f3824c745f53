import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { BookOpen } from '../../lib/icons.tsx'
import { useMemo } from 'react'
import { useResource } from '../../api/resource.ts'
import { SettingsLinks } from '../../components/screen/screen-links.tsx'
import { formatJson } from '../../lib/json.ts'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { SearchBar } from '../../components/screen/list-screen.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page } from '../../components/screen/page.tsx'
import { Pre, SnippetBox } from '../../components/values/snippet-box.tsx'
import { SplitPane } from '../../components/screen/split-pane.tsx'
import { Trans } from '../../lib/trans.tsx'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { bodyFields } from './body-fields.ts'
import { exampleRequest, matches, REFERENCE, type Endpoint } from './endpoints.ts'

const route = getRouteApi('/reference')

/** Every endpoint of the API, from the server itself. Nothing is loaded from elsewhere. */
export function ReferencePage() {
  const { q = '', op } = route.useSearch()
  const navigate = useNavigate({ from: '/reference' })
  const { data, failure, reload } = useResource(REFERENCE)
  const endpoints = data?.endpoints
  const shown = useMemo(() => endpoints?.filter((endpoint) => matches(endpoint, q)) ?? [], [endpoints, q])
  const chosen = shown.find(({ id }) => id === op) ?? shown[0]

  return (
    <Page title={t('API reference')}>
      <SettingsLinks />
      <SearchBar
        label={t('Search the API')}
        placeholder={t('Search by path, name or description')}
        className="w-80"
        value={q}
        onChange={(text) => void navigate({ search: text === '' ? {} : { q: text }, replace: true })}
        count={plural(shown.length, 'endpoint')}
      />
      <Loaded value={data} failure={failure} what={t('the reference')} onRetry={() => void reload()}>
        {() =>
          chosen === undefined ? (
            <EmptyState icon={BookOpen} title={t('No endpoints match')}>
              {t('No endpoint has “{{q}}” in its path, name or description.', { q })}
            </EmptyState>
          ) : (
            <SplitPane
              name="reference"
              label={t('Endpoints width')}
              direction="row"
              initial={420}
              min={280}
              max={720}
            >
              <EndpointList
                endpoints={shown}
                chosen={chosen.id}
                onChoose={(id) =>
                  void navigate({ search: { ...(q === '' ? {} : { q }), op: id }, replace: true })
                }
              />
              <EndpointDetail key={chosen.id} endpoint={chosen} />
            </SplitPane>
          )
        }
      </Loaded>
    </Page>
  )
}

interface EndpointListProps {
  readonly endpoints: readonly Endpoint[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

function EndpointList({ endpoints, chosen, onChoose }: EndpointListProps) {
  const tags = [...new Set(endpoints.map(({ tag }) => tag))]
  return (
    <nav aria-label={t('Endpoints')} className="min-h-0 flex-1 overflow-auto bg-surface p-2">
      {tags.map((tag) => (
        <section key={tag} aria-label={tag}>
          <h2 className="px-2 pt-3 pb-1 font-semibold text-muted">{tag}</h2>
          <ul>
            {endpoints
              .filter((endpoint) => endpoint.tag === tag)
              .map(({ id, method, path }) => (
                <li key={id}>
                  <button
                    type="button"
                    aria-current={id === chosen ? 'true' : undefined}
                    onClick={() => onChoose(id)}
                    className={cx(
                      'flex w-full items-center gap-2 rounded px-2 py-1 text-left text-sm hover:bg-sunken',
                      id === chosen && 'bg-sunken font-medium',
                    )}
                  >
                    <code className="w-14 shrink-0 text-muted">{method}</code>
                    <code className="min-w-0 flex-1 break-all">{path}</code>
                  </button>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

function EndpointDetail({ endpoint }: { readonly endpoint: Endpoint }) {
  const { id, method, path, summary, description, parameters, bodySchema, answers } = endpoint
  return (
    <article className="flex min-h-0 flex-1 flex-col gap-5 overflow-auto bg-surface p-5 *:max-w-5xl">
      <header className="flex flex-col gap-1">
        <h2 className="text-lg font-semibold">{summary}</h2>
        <p>
          <code className="break-all">
            {method} {path}
          </code>
        </p>
        <p className="whitespace-pre-line text-muted">
          <Described text={description} />
        </p>
        <p className="text-faint">
          <Trans
            text="Action of the Millrace connector and operationId: <code/>"
            parts={{ code: <code>{id}</code> }}
          />
        </p>
      </header>
      <SnippetBox request={exampleRequest(endpoint, window.location.origin)} />
      {parameters.length === 0 ? null : (
        <Fields
          title={t('Parameters')}
          kind={t('In')}
          rows={parameters.map(({ place, ...row }) => ({ ...row, kind: place }))}
        />
      )}
      <BodyFields schema={bodySchema} />
      <section className="flex flex-col gap-3">
        <h3 className="font-semibold">{t('Responses')}</h3>
        {answers.map(({ status, text, example }) => (
          <div key={status} className="rounded border border-line">
            <p className="px-3 py-1.5">
              <code className="font-semibold">{status}</code> <span className="text-muted">{text}</span>
            </p>
            {example === undefined ? null : (
              <div className="border-t border-line bg-sunken">
                <Pre label={t('{{status}} example', { status })}>{formatJson(example)}</Pre>
              </div>
            )}
          </div>
        ))}
      </section>
    </article>
  )
}

function BodyFields({ schema }: { readonly schema: Endpoint['bodySchema'] }) {
  const { data } = useResource(REFERENCE)
  const fields = schema === null || data === null ? [] : bodyFields(schema, data.schemas)
  if (fields.length === 0) return null
  return (
    <Fields
      title={t('Body')}
      kind={t('Type')}
      rows={fields.map(({ type, ...row }) => ({ ...row, kind: type }))}
    />
  )
}

interface FieldsProps {
  readonly title: string
  /** The header of the second column. */
  readonly kind: string
  readonly rows: readonly {
    readonly name: string
    readonly kind: string
    readonly required: boolean
    readonly text: string
  }[]
}

function Fields({ title, kind: kindTitle, rows }: FieldsProps) {
  return (
    <section>
      <h3 className="pb-1 font-semibold">{title}</h3>
      <div className="overflow-x-auto">
        <table aria-label={title} className="w-full">
          <thead>
            <tr className="text-left text-muted">
              <th className="py-1 pr-4 font-medium">{t('Name')}</th>
              <th className="py-1 pr-4 font-medium">{kindTitle}</th>
              <th className="py-1 font-medium">{t('Meaning')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, kind, required, text }) => (
              <tr key={`${kind} ${name}`} className="border-t border-line align-top">
                <td className="py-1 pr-4">
                  <code className="wrap-break-word">{name}</code>
                  {required ? <span className="text-faint"> {t('required')}</span> : null}
                </td>
                <td className="py-1 pr-4 text-muted">{kind}</td>
                <td className="py-1 text-muted">
                  <Described text={text} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Text of the contract, which has names and values in backticks. */
function Described({ text }: { readonly text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={`${at} ${part}`}>{part}</code> : part))
}
