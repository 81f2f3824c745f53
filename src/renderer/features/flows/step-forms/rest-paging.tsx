import type { Step } from '../../../../shared/contract/steps.ts'
import { PagingField } from '../../../components/pagination/paging-field.tsx'
import type { PagedCall } from '../../../components/pagination/paging-sheet.tsx'
import { formatJson } from '../../../lib/json.ts'
import { t } from '../../../lib/i18n.ts'
import { asDictionary, asTemplate, type StepFormProps } from '../fields/form-props.ts'
import type { AssistState, TemplatePlace } from '../state/assist-store.ts'
import { useAssist, useEditor, useRunPanel, useStores } from '../state/editor-context.tsx'

interface RestPagingProps extends Pick<StepFormProps, 'step' | 'config' | 'onChange'> {
  readonly error: string | undefined
}

/** The pagination of an HTTP step, tested with the request that it would send now. */
export function RestPaging({ step, config, error, onChange }: RestPagingProps) {
  const stores = useStores()
  const flowId = useEditor((state) => state.flow?.id ?? '')
  const evaluated = useAssist((state) => state.evaluated)
  const pages = useRunPanel(({ steps, alone }) => pagesOf(alone[step.ref_id] ?? steps[step.ref_id]))
  return (
    <PagingField
      config={config.pagination ?? null}
      pages={pages}
      error={error}
      readCall={() => callOf(step, evaluated)}
      onChange={(pagination) => onChange({ pagination })}
      trip={() => ({
        from: flowId,
        kind: 'step',
        name: step.title || step.ref_id,
        back: { to: '/flows/$flowId', params: { flowId }, search: { step: step.ref_id } },
        kept: stores,
        withConfig(pagination) {
          onChange({ pagination })
          return stores
        },
      })}
    />
  )
}

function pagesOf(record: { readonly status: string; readonly http: readonly unknown[] } | undefined) {
  return record?.status === 'success' && record.http.length > 1 ? record.http.length : null
}

type Evaluate = AssistState['evaluated']

/** The request as the step would send it with the available values. */
async function callOf({ ref_id: refId, config }: Step, evaluate: Evaluate): Promise<PagedCall> {
  const place = (field: string, kind: TemplatePlace['kind']) => ({ refId, field, kind, bare: false })
  const url = await evaluate(asTemplate(config['url']), place('config.url', 'text'))
  const auth = await evaluate(asTemplate(config['auth_id']), place('config.auth_id', 'text'))
  const query = await dictionary('query')
  const headers = await dictionary('headers')
  const body =
    config['body'] === undefined || config['body'] === null || config['body_type'] === 'none'
      ? { value: null }
      : await evaluate(textOf(config['body']), place('config.body', bodyKind(config['body_type'])))
  for (const part of [url, auth, query, headers, body]) if ('problem' in part) return part
  const address = URL.parse(String(valueOf(url)).trim())
  if (address === null || !/^https?:$/.test(address.protocol))
    return { problem: t('Enter the step’s URL first.') }
  return {
    form: {
      source: 'address',
      authId: asTemplate(valueOf(auth)),
      baseUrl: new URL('.', `${address.origin}${address.pathname}`).href,
      endpoint: address.href,
      method: asTemplate(config['method']) || 'GET',
      query: asDictionary(valueOf(query)),
      headers: withContentType(asDictionary(valueOf(headers)), config['body_type'], valueOf(body)),
      body: valueOf(body),
    },
  }

  async function dictionary(name: 'query' | 'headers') {
    const given = config[name]
    if (typeof given === 'string') return evaluate(given, place(`config.${name}`, 'dictionary'))
    const entries: [string, unknown][] = []
    for (const [key, value] of Object.entries(asDictionary(given))) {
      const part =
        typeof value === 'string' ? await evaluate(value, place(`config.${name}`, 'value')) : { value }
      if ('problem' in part) return part
      entries.push([key, part.value])
    }
    return { value: Object.fromEntries(entries) }
  }
}

function valueOf(part: { readonly value: unknown } | { readonly problem: string }): unknown {
  return 'value' in part ? part.value : null
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : formatJson(body)
}

function bodyKind(bodyType: unknown): TemplatePlace['kind'] {
  return bodyType === 'text' || bodyType === 'xml' ? bodyType : 'body'
}

/** The tester recognizes the kind of a body only by its header. */
function withContentType(headers: Readonly<Record<string, unknown>>, bodyType: unknown, body: unknown) {
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  const type = CONTENT_TYPES[String(bodyType)]
  if (body === null || isNamed || type === undefined) return headers
  return { ...headers, 'Content-Type': type }
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
}
