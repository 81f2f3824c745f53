/** Nodes with an equal of one step. */
import { childOf, isRecord, ownOf, textOf } from '../../plain.ts'
import { asStep, noStep, type NodeContext, type NodeType } from './node-context.ts'
import { asList, memberOf, oneItem } from '../source/values.ts'
import { headersOf } from './triggers.ts'

export const respondNode: NodeType = {
  runs: 'all',
  convert(context) {
    const { node, ref, source, note, text } = context
    const { parameters } = node
    const options = childOf(parameters, 'options')
    const headers = headersOf(context, options)
    const code = options['responseCode']
    const status =
      typeof code === 'number' ? code : code === undefined ? 200 : text('config.status_code', code)
    const what = textOf(parameters['respondWith']) || 'firstIncomingItem'
    const config = { status_code: status, ...(Object.keys(headers).length === 0 ? {} : { headers }) }
    const answer = (body: string, more: Record<string, unknown> = {}) =>
      asStep({ ref_id: ref, type: 'respond', config: { ...config, body, ...more } }, source)
    const first = source === null ? '{}' : source.items === 'one' ? source.whole : `${source.whole} | first`
    switch (what) {
      case 'noData':
        return answer('')
      case 'allIncomingItems':
        return answer(`{{ ${source === null ? '[]' : asList(source)} | jsonify }}`)
      case 'firstIncomingItem':
        return answer(`{{ (${first}) | jsonify }}`)
      case 'json':
      case 'text':
        return answer(bodyOf(context, parameters['responseBody']))
      case 'redirect':
        return answer('', {
          status_code: code ?? 302,
          headers: { ...headers, Location: text('config.headers.Location', parameters['redirectURL']) },
        })
      default:
        note('config.body', `answered with "${what}", which has no equal here`)
        return answer('')
    }
  },
}

/** An expression that gives data is answered as JSON. */
function bodyOf({ text }: NodeContext, body: unknown): string {
  const template = text('config.body', typeof body === 'string' ? body : JSON.stringify(body ?? ''))
  const whole = /^\{\{ (.*) \}\}$/s.exec(template)?.[1]
  return whole === undefined || whole.includes('}}') || whole.endsWith('| jsonify')
    ? template
    : `{{ (${whole}) | jsonify }}`
}

export const passNode: NodeType = { runs: 'pass', convert: ({ source }) => noStep(source) }

export const waitNode: NodeType = {
  runs: 'all',
  convert({ node, ref, source, text, note }) {
    const { parameters } = node
    const resume = textOf(parameters['resume']) || 'timeInterval'
    if (resume === 'specificTime') {
      const until = text('config.until', parameters['dateTime'])
      return asStep({ ref_id: ref, type: 'delay', config: { until } }, source)
    }
    if (resume !== 'timeInterval')
      note('config.seconds', `waited for a ${resume}; here it waits for no time at all`)
    const isNew = node.version >= 1.1
    const amount = Number(parameters['amount'] ?? (isNew ? 5 : 1))
    const unit = textOf(parameters['unit']) || (isNew ? 'seconds' : 'hours')
    const seconds =
      resume === 'timeInterval' ? (Number.isFinite(amount) ? amount : 0) * (ownOf(SECONDS, unit) ?? 1) : 0
    if (!Number.isFinite(amount)) note('config.seconds', 'how long it waits is calculated; say it again')
    return asStep({ ref_id: ref, type: 'delay', config: { seconds: Math.max(0, seconds) } }, source)
  },
}

const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 }

export const stopNode: NodeType = {
  runs: 'each',
  convert({ node, ref, text }) {
    const { parameters } = node
    const isObject = parameters['errorType'] === 'errorObject'
    const message = text('config.message', isObject ? parameters['errorObject'] : parameters['errorMessage'])
    return asStep({ ref_id: ref, type: 'stop', config: { status: 'error', message } }, null)
  },
}

export const runFlowNode: NodeType = {
  runs: 'each',
  convert({ node, ref, source, note, value }) {
    const { parameters } = node
    const given = parameters['workflowId']
    const locator = isRecord(given) ? given : {}
    const name = textOf(locator['cachedResultName']) || textOf(locator['value'] ?? given)
    note(
      'config.flow_id',
      `ran another workflow${name === '' ? '' : ` ("${name.slice(0, 100)}")`}; import it as well and choose it here`,
    )
    const wait = childOf(parameters, 'options')['waitForSubWorkflow'] !== false
    const inputs = childOf(parameters, 'workflowInputs')['value']
    const input =
      isRecord(inputs) && Object.keys(inputs).length > 0 ? value('config.input', inputs) : undefined
    const config = { flow_id: '', input: input ?? (source === null ? {} : `{{ ${source.whole} }}`), wait }
    return asStep({ ref_id: ref, type: 'run_flow', disabled: true, config }, oneItem(ref))
  },
}

export const sendEmailNode: NodeType = {
  runs: 'each',
  convert({ node, ref, text, note }) {
    const { parameters } = node
    const options = childOf(parameters, 'options')
    note(
      'config.auth_id',
      'sent mails by credentials of n8n; choose a connector auth with the address of your mail server',
    )
    const format = textOf(parameters['emailFormat'])
    const fields = {
      from: parameters['fromEmail'],
      to: parameters['toEmail'],
      cc: parameters['ccEmail'] ?? options['ccEmail'],
      bcc: parameters['bccEmail'] ?? options['bccEmail'],
      reply_to: parameters['replyTo'] ?? options['replyTo'],
      subject: parameters['subject'],
      text: format === 'html' ? undefined : parameters['text'],
      html: parameters['html'] ?? parameters['message'],
    }
    const config = Object.fromEntries(
      Object.entries(fields)
        .filter(([, held]) => held !== undefined && held !== '')
        .map(([name, held]) => [name, text(`config.${name}`, held)]),
    )
    if (parameters['attachments'] || options['attachments'])
      note('config.attachments', 'attached files; name their file_id here')
    return asStep({ ref_id: ref, type: 'send_email', config: { to: '', ...config } }, oneItem(ref))
  },
}

export const xmlNode: NodeType = {
  runs: 'each',
  convert({ node, ref, source, note }) {
    const field = textOf(node.parameters['dataPropertyName']) || 'data'
    const whole = source?.whole ?? '{}'
    const fields = source?.fields ?? {}
    const given = (Object.hasOwn(fields, field) ? fields[field] : null) ?? memberOf(`(${whole})`, field)
    if ((textOf(node.parameters['mode']) || 'xmlToJson') !== 'xmlToJson') {
      return asStep(
        { ref_id: ref, type: 'xml_write', config: { value: `{{ ${whole} }}` } },
        {
          whole: `{'data': ${ref}}`,
          items: 'one',
          fields: { data: ref },
        },
      )
    }
    note(null, 'attributes are "@name" here, and texts beside them "#text"')
    return asStep({ ref_id: ref, type: 'xml_parse', config: { text: `{{ ${given} }}` } }, oneItem(ref))
  },
}
