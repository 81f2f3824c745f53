import { useMemo, useState } from 'react'
import { Tabs } from '../../../components/controls/tabs.tsx'
import { CopyButton } from '../../../components/values/copy-button.tsx'
import { JsonTree } from '../../../components/values/json-tree.tsx'
import { t } from '../../../lib/i18n.ts'
import { formatJson, parseJson } from '../../../lib/json.ts'
import { toSnippet } from '../../../lib/snippets.ts'
import { shownRequest, type ShownRequest } from '../../../components/pagination/state/shown-request.ts'
import type { EventOf, PageLine } from '../../../components/pagination/state/test-progress.ts'
import { RequestView } from './request-view.tsx'
import { ResponseView } from './response-view.tsx'
import { TemplatesView } from './templates-view.tsx'

interface PageDetailProps {
  readonly line: PageLine
  /** The page before, to show what changed. */
  readonly before: PageLine | undefined
}

type View = 'request' | 'templates' | 'response' | 'variables'

/** Everything known about one page: what was sent and why, the response, and what the templates read. */
export function PageDetail({ line, before }: PageDetailProps) {
  const [view, setView] = useState<View>('request')
  const request = shownRequest(line)
  const previous = before === undefined ? null : shownRequest(before)
  return (
    <section aria-label={t('Page {{page}}', { page: line.page })} className="flex min-h-0 flex-1 flex-col">
      <header className="flex h-10 shrink-0 items-center gap-2 border-b border-line px-3">
        <h2 className="min-w-0 truncate font-semibold">{t('Page {{page}}', { page: line.page })}</h2>
        <p className="min-w-0 flex-1 truncate text-muted">{explain(line)}</p>
        {request === null ? null : (
          <CopyButton label={t('Copy as curl')} text={() => toSnippet('curl', asSnippet(request))} />
        )}
      </header>
      <Tabs
        label={t('Page details')}
        className="flex-1"
        value={view}
        onChange={setView}
        tabs={[
          {
            value: 'request',
            label: t('Request'),
            content: <RequestView request={request} before={previous} plan={line.plan} />,
          },
          { value: 'templates', label: t('Templates'), content: <TemplatesView plan={line.plan} /> },
          { value: 'response', label: t('Response'), content: <ResponseView key={line.page} line={line} /> },
          {
            value: 'variables',
            label: t('Variables'),
            content: <VariablesView plan={line.plan} before={before} />,
          },
        ]}
      />
    </section>
  )
}

function explain({ plan, attempts }: PageLine): string {
  if (attempts.length === 0)
    return (plan?.request ?? null) === null ? t('not requested') : t('planned, not sent')
  const index = attempts.at(-1)?.request.config_index ?? null
  return index === null ? t('sent without pagination') : t('by configuration {{index}}', { index: index + 1 })
}

function asSnippet({ method, url, headers, body }: ShownRequest) {
  const text = body === null ? null : typeof body === 'string' ? body : formatJson(body)
  return { method, url, headers, body: text }
}

interface VariablesViewProps {
  readonly plan: EventOf<'plan'> | null
  readonly before: PageLine | undefined
}

/** The variables that this page's templates could read. */
function VariablesView({ plan, before }: VariablesViewProps) {
  const last = before?.attempts.at(-1)
  const value = useMemo(() => {
    const body = last?.body ?? null
    return {
      ...plan?.variables,
      previous_request: body === null ? null : readBody(body),
      previous_request_headers: last?.response?.headers ?? null,
    }
  }, [plan, last])
  if (plan === null)
    return <p className="p-3 text-muted">{t('No configuration was evaluated for this page.')}</p>
  return <JsonTree value={value} label={t('Variables')} root="" openDepth={1} />
}

function readBody({ text, truncated }: EventOf<'body'>): unknown {
  if (truncated) return '(too long to be shown here)'
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
