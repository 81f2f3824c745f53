import { say } from '@millrace/jinja/said'
import { childOf, isRecord, ownOf, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { refuse } from '../source/untranslatable.ts'
import type { NodeContext } from './node-context.ts'
import { type ActionCall, locate, serviceNode, type Take, Template, withoutAttribution } from './service.ts'

const CHANNEL = { url: /https:\/\/app\.slack\.com\/client\/.*\/([a-zA-Z0-9]{2,})/ }

const channel: Take = (value) => ({ channel: locate(value, CHANNEL).value })

/** Adds an "@" to a name. */
const user: Take = (value, { js }) => {
  const { mode, value: held } = locate(value, { known: ['list', 'id', 'username'] })
  if (mode !== 'username') return { channel: held }
  if (isExpression(held)) return refuse(say`uses an expression for a user's name: ${js(held).slice(0, 60)}`)
  return { channel: `@${textOf(held).replace(/^@/, '')}` }
}

/** JSON, which n8n treats as part of the message. */
const blocks: Take = (value, { js, calculated }) => {
  if (!isExpression(value)) {
    const given: unknown = typeof value === 'string' ? parsed(value) : value
    return isRecord(given) && Object.keys(given).every((key) => key === 'blocks' || key === 'text')
      ? given
      : refuse(say`has blocks with keys other than "blocks"`)
  }
  const check = `((given) => { const all = typeof given === 'string' ? JSON.parse(given) : given; return Object.keys(all).every((key) => key === 'blocks') ? all.blocks : $fail('the blocks have more than "blocks" in them') })`
  return { blocks: new Template(calculated(`${check}(${js(value)})`, 'blocks')) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse(say`has invalid JSON`)
  }
}

const option = (name: string): Readonly<Record<string, string>> => ({ [`otherOptions.${name}`]: name })

/** Slack reports errors with status 200, on which n8n fails. `ts` has another name in n8n. */
const ANSWER = `if (answer.ok === false) $fail('Slack error response: ' + JSON.stringify(answer.error))
const { ts, ...others } = answer
return ts === undefined ? others : { ...others, message_timestamp: ts }`
const PART = (name: string) =>
  `if (answer.ok === false) $fail('Slack error response: ' + JSON.stringify(answer.error))\nreturn answer.${name}`

function content(context: NodeContext): Record<string, unknown> {
  const { node } = context
  if (node.version < 2) refuse(say`uses node version 1, whose messages differ`)
  withoutAttribution(context, childOf(node.parameters, 'otherOptions')['includeLinkToWorkflow'], 2.1)
  const type = textOf(node.parameters['messageType']) || 'text'
  if (ownOf({ text: true, block: true }, type) !== true)
    refuse(say`sends a message of the type "${type.slice(0, 40)}"`)
  return type === 'text' ? { text: '' } : {}
}

const TEXT: Readonly<Record<string, Take>> = {
  text: (value) => (value === '' ? {} : { text: value }),
  messageType: null,
  blocksUi: blocks,
  'otherOptions.includeLinkToWorkflow': null,
}

const isTarget: Take = (value) =>
  value === 'channel' || value === 'user' ? {} : refuse(say`uses an expression for the recipient type`)

const post: ActionCall = {
  action: 'send_message',
  takes: {
    ...TEXT,
    select: isTarget,
    channelId: channel,
    user,
    ...option('mrkdwn'),
    ...option('link_names'),
    ...option('unfurl_links'),
    ...option('unfurl_media'),
    'otherOptions.thread_ts': (value) =>
      isRecord(value) ? childOf(value, 'replyValues') : refuse(say`uses an expression for its thread`),
    'otherOptions.sendAsUser': (value, { node }) =>
      value === '' || node.parameters['authentication'] === 'oAuth2' ? {} : { username: value },
    'otherOptions.botProfile': (value) => {
      const {
        icon_url: url,
        icon_emoji: emoji,
        profilePhotoType: kind,
      } = isRecord(value) ? childOf(value, 'imageValues') : {}
      return kind === 'image' ? { icon_url: url } : { icon_emoji: emoji }
    },
  },
  check: content,
  reshape: ANSWER,
}

export const slackNode = serviceNode({
  connector: '91f90767-9f73-4cc4-ad34-7aaff98265e3',
  usual: { resource: 'message', operation: { message: 'post', user: 'info' } },
  actions: {
    'message.post': post,
    'message.update': {
      action: 'update_message',
      takes: { ...TEXT, channelId: channel, ts: 'ts' },
      check: content,
      reshape: ANSWER,
    },
    'message.delete': {
      action: 'delete_message',
      takes: { select: isTarget, channelId: channel, user, timestamp: 'ts' },
      check: ({ node }) => (node.version < 2 ? refuse(say`uses node version 1`) : undefined),
      reshape: ANSWER,
    },
    'user.info': {
      action: 'get_user',
      takes: { user: (value) => ({ user: locate(value, { known: ['list', 'id'] }).value }) },
      reshape: PART('user'),
    },
  },
})
