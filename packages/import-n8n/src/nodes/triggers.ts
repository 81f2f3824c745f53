/** Converts the triggers of a workflow. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { asStep, noStep, type NodeContext, type NodeType } from './node-context.ts'
import { oneItem, type Source } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { isExpression } from '../expression/template.ts'
import { listOf } from '../source/workflow.ts'

export const webhookNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert(context) {
    const { node, ref, note, text } = context
    const { parameters } = node
    const options = childOf(parameters, 'options')
    const methods = methodsOf(parameters)
    note(null, say`has a new URL and its own token; give them to whoever calls it`)
    note(null, say`kept query parameters and body apart; here both are in one object`)
    if (options['binaryData'] === true || options['rawBody'] === true)
      refuse(say`accepts files or raw bodies`)
    const authentication = textOf(parameters['authentication']) || 'none'
    if (authentication !== 'none')
      note(
        null,
        say`checked callers with ${authentication}; here they send the flow's token, or their signature is checked`,
      )
    if (options['ipWhitelist'])
      note(null, say`only accepted requests from some IP addresses; there is no equivalent here`)
    const mode = textOf(parameters['responseMode']) || 'onReceived'
    const origins = textOf(options['allowedOrigins'])
    const config = {
      ...(methods.join() === 'POST' ? {} : { methods }),
      async: mode === 'onReceived' && options['responseData'] === undefined,
      ...statusOf(parameters, options),
      response_headers: headersOf(context, options),
      ...(mode === 'onReceived' && options['responseData'] !== undefined
        ? { response_body: text('config.response_body', options['responseData']) }
        : {}),
      ...(origins === '' || origins === '*'
        ? {}
        : { cors_origins: origins.split(',').map((one) => one.trim()) }),
    }
    return asStep(
      { ref_id: ref, type: 'webhook', config },
      {
        ...oneItem(ref),
        whole: `{'headers': webhook.headers, 'query': ${ref}, 'body': ${ref}}`,
        js: `{ headers: input.webhook?.headers ?? {}, params: {}, query: input.${ref}, body: input.${ref} }`,
        fields: {
          body: ref,
          query: ref,
          headers: 'webhook.headers',
          params: null,
          webhookUrl: null,
          executionMode: null,
        },
      },
    )
  },
}

function methodsOf(parameters: Plain): string[] {
  const several = parameters['httpMethod']
  const methods = new Set(Array.isArray(several) ? several.map(textOf) : [textOf(several) || 'GET'])
  const lacking = [...methods].find((method) => !TAKEN_METHODS.has(method))
  return lacking === undefined ? [...methods] : refuse(say`accepts ${lacking.slice(0, 20)} requests`)
}

const TAKEN_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

function statusOf(parameters: Plain, options: Plain): { response_status_code?: number } {
  const values = childOf(childOf(options, 'responseCode'), 'values')
  const code = Number(
    values['customCode'] ?? values['responseCode'] ?? options['responseCode'] ?? parameters['responseCode'],
  )
  return Number.isInteger(code) && code >= 200 && code <= 599 ? { response_status_code: code } : {}
}

export function headersOf({ text, note }: NodeContext, options: Plain): Record<string, string> {
  const entries = listOf(childOf(options, 'responseHeaders')['entries']).filter(isRecord).slice(0, 50)
  const headers: [string, string][] = []
  for (const entry of entries) {
    const name = textOf(entry['name']).trim()
    if (!/^[\w-]{1,100}$/.test(name)) continue
    if (name.toLowerCase() === 'set-cookie')
      note('config.headers', say`set a cookie; responses here can't set cookies`)
    else headers.push([name, text(`config.headers.${name}`, entry['value'])])
  }
  return Object.fromEntries(headers)
}

export const scheduleNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert(context) {
    const { ref, node, timezone } = context
    const rules = listOf(childOf(node.parameters, 'rule')['interval']).filter(isRecord)
    const [first = {}] = rules
    const config = { ...intervalOf(first), ...(timezone === null ? {} : { timezone }) }
    return asStep({ ref_id: ref, type: 'schedule', config }, scheduled(ref))
  },
}

const scheduled = (ref: string): Source => ({
  ...oneItem(ref),
  whole: `{'timestamp': ${ref}.scheduled_at}`,
  js: `{ timestamp: input.${ref}.scheduled_at }`,
  fields: { timestamp: `${ref}.scheduled_at` },
})

const whole = (value: unknown, usual: number, least: number, most: number): number => {
  if (isExpression(value)) refuse(say`uses an expression for its schedule`)
  const number = Math.trunc(Number(value ?? usual))
  return Number.isFinite(number) ? Math.min(most, Math.max(least, number)) : usual
}
const clock = (hour: number, minute: number) =>
  `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

function intervalOf(rule: Plain): Record<string, unknown> {
  const hour = whole(rule['triggerAtHour'], 0, 0, 23)
  const minute = whole(rule['triggerAtMinute'], 0, 0, 59)
  switch (textOf(rule['field']) || 'days') {
    case 'seconds': {
      const seconds = whole(rule['secondsInterval'], 30, 1, 59)
      return { interval: 'cron', cron: `*/${seconds} * * * * *` }
    }
    case 'minutes':
      return { interval: 'cron', cron: `*/${whole(rule['minutesInterval'], 5, 1, 59)} * * * *` }
    case 'hours': {
      const hours = whole(rule['hoursInterval'], 1, 1, 23)
      return hours === 1 && minute === 0
        ? { interval: '1h' }
        : { interval: 'cron', cron: `${minute} ${hours === 1 ? '*' : `*/${hours}`} * * *` }
    }
    case 'weeks': {
      const weeks = whole(rule['weeksInterval'], 1, 1, 52)
      if (weeks > 1) refuse(say`runs every ${weeks} weeks`)
      const days = Array.isArray(rule['triggerAtDay']) ? rule['triggerAtDay'] : [0]
      const weekdays = [...new Set(days.map((day) => DAYS[whole(day, 0, 0, 6)]))]
      return { interval: 'weekly', weekdays, at: clock(hour, minute) }
    }
    case 'months': {
      const months = whole(rule['monthsInterval'], 1, 1, 12)
      if (months > 1) refuse(say`runs every ${months} months`)
      const day = whole(rule['triggerAtDayOfMonth'], 1, 1, 31)
      return { interval: 'cron', cron: `${minute} ${hour} ${day} * *` }
    }
    case 'cronExpression':
      return { interval: 'cron', cron: cronOf(rule['expression']) }
    default: {
      const days = whole(rule['daysInterval'], 1, 1, 31)
      if (days > 1) refuse(say`runs every ${days} days`)
      return { interval: 'daily', at: clock(hour, minute) }
    }
  }
}

function everyMinutes(minutes: number): Record<string, unknown> {
  return minutes === 5 || minutes === 15 ? { interval: `${minutes}m` } : { interval: 'custom', minutes }
}

function cronOf(expression: unknown): string {
  const cron = textOf(expression).trim().slice(0, 200)
  return cron === '' || isExpression(cron) ? refuse(say`uses an expression for its schedule`) : cron
}

/** The older "Cron". */
export const cronNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert({ ref, node, timezone }) {
    const times = listOf(childOf(node.parameters, 'triggerTimes')['item']).filter(isRecord)
    const [first = {}] = times
    const config = { ...cronTime(first), ...(timezone === null ? {} : { timezone }) }
    return asStep({ ref_id: ref, type: 'schedule', config }, scheduled(ref))
  },
}

function cronTime(time: Plain): Record<string, unknown> {
  const at = clock(whole(time['hour'], 14, 0, 23), whole(time['minute'], 0, 0, 59))
  switch (textOf(time['mode']) || 'everyDay') {
    case 'everyMinute':
      return everyMinutes(1)
    case 'everyHour':
      return { interval: 'cron', cron: `${whole(time['minute'], 0, 0, 59)} * * * *` }
    case 'everyWeek':
      return { interval: 'weekly', weekdays: [DAYS[whole(time['weekday'], 1, 0, 6)]], at }
    case 'everyMonth': {
      const [hours = '0', minutes = '0'] = at.split(':')
      return {
        interval: 'cron',
        cron: `${Number(minutes)} ${Number(hours)} ${whole(time['dayOfMonth'], 1, 1, 31)} * *`,
      }
    }
    case 'everyX':
      return everyMinutes(whole(time['value'], 2, 1, 1_000) * (time['unit'] === 'minutes' ? 1 : 60))
    case 'custom':
      return { interval: 'cron', cron: cronOf(time['cronExpression']) }
    default:
      return { interval: 'daily', at }
  }
}

export const intervalNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert({ ref, node }) {
    const every = whole(node.parameters['interval'], 1, 1, 100_000)
    const unit = textOf(node.parameters['unit']) || 'seconds'
    const minutes = unit === 'hours' ? every * 60 : unit === 'minutes' ? every : every / 60
    const config =
      Number.isInteger(minutes) && minutes <= 525_600
        ? everyMinutes(minutes)
        : unit === 'seconds' && 60 % every === 0
          ? { interval: 'cron', cron: `*/${every} * * * * *` }
          : refuse(say`runs every ${every} ${unit}`)
    return asStep({ ref_id: ref, type: 'schedule', config }, scheduled(ref))
  },
}

/** A manual start, which every flow allows. */
export const manualNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert: () => noStep({ whole: '{}', js: '{}', items: 'one' }),
}

/** Another flow passes its input, as a request would. */
export const calledNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert({ ref }) {
    return asStep({ ref_id: ref, type: 'webhook', config: {} }, oneItem(ref))
  },
}

/** A flow that runs when another one fails; it is chosen in the other flow's settings. */
export const errorNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert({ ref, note }) {
    note(
      null,
      say`ran when other workflows failed; choose this flow as the error flow in the settings of those flows`,
    )
    const execution =
      "{'id': error_flow_run_id, 'error': {'message': error_message}, 'lastNodeExecuted': error_step}"
    const workflow = "{'id': error_flow_id, 'name': error_flow_name}"
    // Only templates can read the details of the other flow.
    const values = { execution: `{{ ${execution} }}`, workflow: `{{ ${workflow} }}` }
    return asStep({ ref_id: ref, type: 'set', config: { values } }, oneItem(ref))
  },
}
