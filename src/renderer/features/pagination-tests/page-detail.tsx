import { formatJson } from '../../api/json.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { HeaderList } from '../../components/exchange-view.tsx'
import { Pre } from '../../components/snippet-box.tsx'
import { toSnippet } from '../../lib/snippets.ts'
import { changedParameters } from './progress.ts'
import type { PageLine } from './progress.ts'

interface PageDetailProps {
  readonly line: PageLine
  /** The page before, to say what changed. */
  readonly before: PageLine | undefined
}

export function PageDetail({ line, before }: PageDetailProps) {
  const last = line.attempts.at(-1)
  if (last === undefined) return null
  const { request, response } = last
  const changes = changedParameters(before?.attempts.at(-1)?.request.url, request.url)
  const body =
    request.body === null ? null : typeof request.body === 'string' ? request.body : formatJson(request.body)
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4">
      <div className="flex items-center gap-2">
        <h2 className="min-w-0 flex-1 font-semibold">Page {line.page}</h2>
        <CopyButton
          label="Copy as curl"
          text={() =>
            toSnippet('curl', { method: request.method, url: request.url, headers: request.headers, body })
          }
        />
      </div>
      <p className="font-mono text-sm break-all">
        <span className="font-medium">{request.method}</span> {request.url}
      </p>
      {changes.length === 0 ? null : (
        <p className="text-sm text-muted">
          Changed:{' '}
          {changes.map((change) => (
            <code key={change} className="mr-2">
              {change}
            </code>
          ))}
        </p>
      )}
      <p className="text-sm text-muted">
        {request.config_index === null
          ? 'Sent without any paging.'
          : `By configuration ${request.config_index + 1}.`}
      </p>
      <Part title="Request headers">
        <HeaderList headers={request.headers} />
      </Part>
      {body === null ? null : (
        <Part title="Request body">
          <div className="rounded border border-line bg-sunken">
            <Pre label="Request body">{body}</Pre>
          </div>
        </Part>
      )}
      {response === null ? null : (
        <Part title="Response headers">
          <HeaderList headers={response.headers} />
        </Part>
      )}
    </div>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-sm font-semibold text-muted">{title}</h3>
      {children}
    </section>
  )
}
