/** Converts nodes that correspond to a single step. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, ownOf, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { asJsList, oneItem } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { asStep, noStep, type NodeContext, type NodeType } from './node-context.ts'
import { responseItems } from './requests.ts'
import { headersOf } from './triggers.ts'

export const respondNode: NodeType = {
  runs: 'all',
  gathers: true,
  convert(context) {
    const { node, ref, source, text, calculated } = context
    const { parameters } = node
    const options = childOf(parameters, 'options')
    const headers = headersOf(context, options)
    const code = options['responseCode']
    const status = (usual: number) =>
      typeof code === 'number' ? code : code === undefined ? usual : text('config.status_code', code)
    const answer = (body: string, more: Record<string, unknown> = {}, usual = 200) => {
      const given = { ...headers, ...(more['headers'] as Record<string, string> | undefined) }
      const config = {
        status_code: status(usual),
        ...(Object.keys(given).length === 0 ? {} : { headers: given }),
        body,
      }
      return asStep({ ref_id: ref, type: 'respond', config }, source)
    }
    const items = source === null ? '[]' : asJsList(source)
    const key = textOf(options['responseKey'])
    if (key !== '') refuse(say`responds with its items under a key`)
    switch (textOf(parameters['respondWith']) || 'firstIncomingItem') {
      case 'noData':
        return answer('')
      case 'allIncomingItems':
        return answer(calculated(`JSON.stringify(${items})`, 'body'))
      case 'firstIncomingItem':
        return answer(calculated(`JSON.stringify((${items})[0] ?? {})`, 'body'))
      case 'json':
      case 'text':
        return answer(bodyOf(context, parameters['responseBody']))
      case 'redirect':
        return answer(
          '',
          { headers: { Location: text('config.headers.Location', parameters['redirectURL']) } },
          302,
        )
      default:
        return refuse(say`responds with "${textOf(parameters['respondWith']).slice(0, 40)}"`)
    }
  },
}

/** The result of an expression is sent as JSON. */
function bodyOf({ text, isPlain, js, calculated }: NodeContext, body: unknown): string {
  const given = typeof body === 'string' ? body : JSON.stringify(body ?? '')
  if (!isExpression(given)) return text('config.body', given)
  const isWhole = /^=\s*\{\{/.test(given) && /\}\}\s*$/.test(given)
  if (!isWhole && isPlain(given)) return text('config.body', given)
  const written = `((value) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)))(${js(given)})`
  return calculated(written, 'body')
}

export const passNode: NodeType = { runs: 'pass', convert: ({ source }) => noStep(source) }

export const waitNode: NodeType = {
  runs: 'all',
  gathers: true,
  convert({ node, ref, source, text, calculated, js }) {
    const { parameters } = node
    const resume = textOf(parameters['resume']) || 'timeInterval'
    if (resume === 'specificTime') {
      const until = text('config.until', parameters['dateTime'])
      return asStep({ ref_id: ref, type: 'delay', config: { until } }, source)
    }
    if (resume !== 'timeInterval') refuse(say`waits for "${resume.slice(0, 40)}"`)
    const isNew = node.version >= 1.1
    const given = parameters['amount'] ?? (isNew ? 5 : 1)
    const unit = textOf(parameters['unit']) || (isNew ? 'seconds' : 'hours')
    const length = ownOf(SECONDS, unit) ?? refuse(say`waits in the unit "${unit.slice(0, 40)}"`)
    const amount = Number(given)
    const seconds = Number.isFinite(amount)
      ? Math.max(0, amount * length)
      : isExpression(given)
        ? calculated(`Math.max(0, Number(${js(given)}) * ${length})`, 'seconds')
        : refuse(say`doesn't say how long it waits`)
    return asStep({ ref_id: ref, type: 'delay', config: { seconds } }, source)
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

/** The flow to run isn't known, so the step fails until one is chosen. */
export const runFlowNode: NodeType = {
  runs: 'each',
  convert({ node, ref, source, note, value }) {
    const { parameters } = node
    if ((textOf(parameters['source']) || 'database') !== 'database')
      refuse(say`runs a workflow that isn't saved`)
    if (source?.all !== undefined && textOf(parameters['mode']) !== 'each')
      refuse(say`runs another workflow once with all its items`)
    const given = parameters['workflowId']
    const locator = isRecord(given) ? given : {}
    const name = textOf(locator['cachedResultName']) || textOf(locator['value'] ?? given)
    note(
      'config.flow_id',
      name === ''
        ? say`ran another workflow; import it as well and choose it here`
        : say`ran the workflow "${name.slice(0, 100)}"; import it as well and choose it here`,
    )
    const wait = childOf(parameters, 'options')['waitForSubWorkflow'] !== false
    const inputs = childOf(parameters, 'workflowInputs')['value']
    const own = isRecord(inputs) && Object.keys(inputs).length > 0 ? value('config.input', inputs) : undefined
    const config = { flow_id: '', input: own ?? (source === null ? {} : `{{ ${source.whole} }}`), wait }
    const gives = wait ? responseItems(ref, ref) : source
    return asStep({ ref_id: ref, type: 'run_flow', config }, gives)
  },
}

export const sendEmailNode: NodeType = {
  runs: 'each',
  convert({ node, ref, text, note }) {
    const { parameters } = node
    const options = childOf(parameters, 'options')
    if ((textOf(parameters['operation']) || 'send') !== 'send')
      refuse(say`sends an email and waits for a reply`)
    if (textOf(parameters['attachments'] ?? options['attachments']) !== '') refuse(say`attaches files`)
    note(
      'config.auth_id',
      say`used n8n credentials to send email; choose a connector auth with the URL of your mail server`,
    )
    const format = textOf(parameters['emailFormat']) || (node.version >= 2 ? 'html' : 'both')
    const fields = {
      from: parameters['fromEmail'],
      to: parameters['toEmail'],
      cc: parameters['ccEmail'] ?? options['ccEmail'],
      bcc: parameters['bccEmail'] ?? options['bccEmail'],
      reply_to: parameters['replyTo'] ?? options['replyTo'],
      subject: parameters['subject'],
      text: format === 'html' ? undefined : parameters['text'],
      html: format === 'text' ? undefined : (parameters['html'] ?? parameters['message']),
    }
    const config = Object.fromEntries(
      Object.entries(fields)
        .filter(([, held]) => held !== undefined && held !== '')
        .map(([name, held]) => [name, text(`config.${name}`, held)]),
    )
    return asStep({ ref_id: ref, type: 'send_email', config: { to: '', ...config } }, oneItem(ref))
  },
}

/** A shell can run anything, so the import never adds a program to the settings by itself. */
export const commandNode: NodeType = {
  runs: 'each',
  convert: ({ note }) => {
    note(
      null,
      say`ran a command in a shell: add the program under Settings, Programs, and use a run_program step`,
    )
    return refuse(say`runs a command in a shell`)
  },
}
