import { useEffect, useState } from 'react'
import type { Flow } from '../../../shared/contract/flows.ts'
import type { WebhookRequest } from '../../../shared/contract/webhooks.ts'
import { formatJson } from '../../api/json.ts'
import { ButtonLink } from '../../components/button.tsx'
import { CopyButton, CopyIcon } from '../../components/copy-button.tsx'
import { HeaderList } from '../../components/exchange-view.tsx'
import { JsonTree } from '../../components/json-tree.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { formatBytes, formatDuration, formatExact } from '../../lib/format.ts'
import { toSnippet } from '../../lib/snippets.ts'
import { useWebhooks } from './webhooks-store.ts'

interface RequestDetailProps {
  readonly request: WebhookRequest
  readonly flow: Flow | undefined
}

/** One request: what came, what became of it, and how to send it again. */
export function RequestDetail({ request, flow }: RequestDetailProps) {
  const requestChosen = useWebhooks((state) => state.requestChosen)
  const input = useWebhooks((state) =>
    request.flow_run_id === null ? null : state.inputs[request.flow_run_id],
  )
  const [tab, setTab] = useState<'input' | 'request'>(request.flow_run_id === null ? 'request' : 'input')
  useEffect(() => void requestChosen(request), [requestChosen, request])

  return (
    <div className="flex min-h-0 flex-1 flex-col bg-surface">
      <div className="flex shrink-0 flex-col gap-1 border-b border-line px-4 py-3">
        <div className="flex items-center gap-2">
          <h2 className="min-w-0 flex-1 truncate text-lg font-semibold">
            Answered {request.status}
            <span className="ml-2 text-base font-normal text-muted">
              {formatExact(Date.parse(request.at))}
            </span>
          </h2>
          {request.flow_run_id === null ? null : (
            <ButtonLink to="/runs/$runId" params={{ runId: request.flow_run_id }}>
              Open the run
            </ButtonLink>
          )}
        </div>
        {request.reason === null ? null : <p className="text-error">Refused: {request.reason}</p>}
        <p className="flex items-center gap-1 text-sm text-muted">
          <code className="min-w-0 truncate">
            {request.method} {request.path}
          </code>
          <CopyIcon label="Copy the path" text={request.path} />
        </p>
        <p className="text-sm text-muted">
          {formatBytes(request.size)} from {request.client}, {formatDuration(request.duration_ms)}
          {flow === undefined ? '' : `, flow “${flow.name}”`}
        </p>
      </div>
      <Tabs
        label="Parts of the request"
        className="flex-1"
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'input',
            label: 'Parsed input',
            content: (
              <ParsedInput
                value={input?.output}
                state={request.flow_run_id === null ? 'refused' : input === undefined ? 'reading' : 'read'}
                refId={input?.ref_id}
              />
            ),
          },
          {
            value: 'request',
            label: 'Headers',
            content: (
              <div className="flex flex-col gap-3 p-4">
                <HeaderList headers={request.headers} />
                {flow === undefined ? null : (
                  <div>
                    <CopyButton
                      label="Copy as curl"
                      text={() => toSnippet('curl', again(request, flow, input?.output))}
                    />
                  </div>
                )}
              </div>
            ),
          },
        ]}
      />
    </div>
  )
}

interface ParsedInputProps {
  readonly value: unknown
  readonly state: 'refused' | 'reading' | 'read'
  readonly refId: string | undefined
}

function ParsedInput({ value, state, refId }: ParsedInputProps) {
  if (state === 'refused')
    return <p className="p-4 text-muted">The request was turned away before its body was read.</p>
  if (state === 'reading') return null
  if (value === null || value === undefined)
    return <p className="p-4 text-muted">The run is not stored any more, or kept no history of its input.</p>
  return <JsonTree value={value} label="Parsed input" {...(refId === undefined ? {} : { root: refId })} />
}

/** The same input as a JSON request with the flow's own token: what was sent in secret is not stored. */
function again(request: WebhookRequest, flow: Flow, input: unknown) {
  const url = flow.webhook?.url ?? request.path
  const token = flow.webhook?.token ?? null
  return {
    method: 'POST',
    url,
    headers: {
      'Content-Type': 'application/json',
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: input === undefined || input === null ? null : formatJson(input, 0),
  }
}
