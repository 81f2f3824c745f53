import { say } from '@millrace/jinja/said'
import { childOf, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { refuse } from '../source/untranslatable.ts'
import type { NodeContext } from './node-context.ts'
import { type ActionCall, serviceNode, type Take, Template, withoutAttribution } from './service.ts'

/** Comma-separated addresses; like n8n, this fails if one has no "@". */
const ADDRESSES = `((given) => String(given ?? '').split(',').map((one) => one.trim()).map((one) => !one.includes('@') ? $fail("The email address '" + one + "' isn't valid") : one.includes('<') && one.includes('>') ? one : '<' + one + '>').join(', '))`

const addresses =
  (name: string): Take =>
  (value, { js, calculated }) =>
    value === '' ? {} : { [name]: new Template(calculated(`${ADDRESSES}(${js(value)})`, name)) }

const trimmed = (value: unknown, name: string, { js, calculated }: NodeContext) => ({
  [name]: isExpression(value)
    ? new Template(calculated(`String(${js(value)} ?? '').trim()`, name))
    : textOf(value).trim(),
})

const send: ActionCall = {
  action: 'send_message',
  takes: {
    sendTo: addresses('to'),
    subject: 'subject',
    emailType: null,
    message: null,
    'options.appendAttribution': null,
    'options.bccList': addresses('bcc'),
    'options.ccList': addresses('cc'),
    'options.replyTo': addresses('reply_to'),
  },
  usual: { subject: '' },
  check(context) {
    const { node } = context
    isSecond(context)
    const { emailType, message, sendTo } = node.parameters
    if (textOf(sendTo) === '') refuse(say`has no recipient`)
    if (emailType === undefined && node.version < 2.1)
      refuse(say`doesn't say whether its email is text or HTML`)
    const type = textOf(emailType) || 'html'
    if (type !== 'html' && type !== 'text') refuse(say`uses an expression for the email type (text or HTML)`)
    withoutAttribution(context, childOf(node.parameters, 'options')['appendAttribution'], 2.1)
    return trimmed(message, type, context)
  },
}

function isSecond({ node }: NodeContext): undefined {
  return node.version < 2 ? refuse(say`uses node version 1, whose parameters differ`) : undefined
}

const change = (takes: ActionCall['takes'], usual: ActionCall['usual']): ActionCall => ({
  action: 'change_labels',
  takes: { messageId: 'id', ...takes },
  ...(usual === undefined ? {} : { usual }),
  check: isSecond,
})

export const gmailNode = serviceNode({
  connector: '71462a51-b36b-4acf-998c-600ba7f1b084',
  usual: { resource: 'message', operation: { message: 'send' } },
  actions: {
    'message.send': send,
    'message.addLabels': change({ labelIds: 'add' }, undefined),
    'message.removeLabels': change({ labelIds: 'remove' }, undefined),
    'message.markAsRead': change({}, { remove: ['UNREAD'] }),
    'message.markAsUnread': change({}, { add: ['UNREAD'] }),
  },
})
