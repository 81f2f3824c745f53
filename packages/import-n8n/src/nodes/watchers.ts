/** Converts triggers that look for something new: feeds, folders, mailboxes. */
import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain, textOf } from '../source/plain-json.ts'
import { isExpression } from '../expression/template.ts'
import { oneItem, type Source } from '../source/values.ts'
import { refuse } from '../source/untranslatable.ts'
import { listOf } from '../source/workflow.ts'
import { asStep, type NodeType } from './node-context.ts'
import { sayCredentials } from './service.ts'

export const feedTriggerNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert({ node, ref, note }) {
    const [first = {}] = listOf(childOf(node.parameters, 'pollTimes')['item']).filter(isRecord)
    const minutes = minutesOf(first)
    if (minutes === null)
      note('config.every_minutes', say`checked at fixed times; here it checks every 15 minutes`)
    note(null, say`has the times of all articles in one format, and the feed's description as their content`)
    const config = {
      source: 'feed',
      url: plainly(node.parameters['feedUrl'], 'URL'),
      every_minutes: minutes ?? 15,
    }
    return asStep({ ref_id: ref, type: 'list_trigger', config }, articleOf(ref))
  },
}

function articleOf(ref: string): Source {
  const fields = {
    title: `${ref}.title`,
    link: `${ref}.link`,
    guid: `${ref}.id`,
    pubDate: `${ref}.published`,
    isoDate: `${ref}.published`,
    creator: `${ref}.author`,
    content: `(${ref}.summary or ${ref}.content)`,
    contentSnippet: `((${ref}.summary or ${ref}.content or '') | striptags)`,
    categories: `${ref}.categories`,
  }
  const entry = `input.${ref}`
  return {
    ...oneItem(ref),
    whole: dictionaryOf(fields),
    js: `((entry, content) => ({ title: entry.title, link: entry.link, guid: entry.id, pubDate: entry.published, isoDate: entry.published, creator: entry.author, content, contentSnippet: String(content ?? '').replace(/<[^>]*>/g, '').trim(), categories: entry.categories }))(${entry}, ${entry}.summary || ${entry}.content)`,
    fields,
  }
}

/** The interval in minutes; null for fixed times. */
function minutesOf(time: Plain): number | null {
  switch (textOf(time['mode']) || 'everyMinute') {
    case 'everyMinute':
      return 1
    case 'everyHour':
      return 60
    case 'everyX': {
      const value = Number(time['value'] ?? 2)
      const minutes = time['unit'] === 'minutes' ? value : value * 60
      return minutes >= 1 && minutes <= 44_640 ? minutes : null
    }
    default:
      return null
  }
}

const EVENTS: Readonly<Record<string, string>> = { add: 'new', change: 'changed', unlink: 'gone' }

export const fileTriggerNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert({ node, ref, note }) {
    const { parameters } = node
    const options = childOf(parameters, 'options')
    const watchesFile = textOf(parameters['triggerOn']) === 'file'
    const path = plainly(parameters['path'], 'path')
    if (textOf(options['ignored']) !== '') refuse(say`skips files by its own rule`)
    const wanted = watchesFile ? ['change'] : listOf(parameters['events']).map(textOf)
    const events = wanted.flatMap((event) => EVENTS[event] ?? [])
    if (events.length < wanted.length) refuse(say`watches for folders that are created or removed`)
    if (events.length === 0) refuse(say`doesn't watch for any event`)
    const [, folder = '', name = ''] = /^(.*)[\\/]([^\\/]*)$/.exec(path) ?? []
    const depth = Number(options['depth'] ?? -1)
    if (depth > 0)
      note('config.subfolders', say`watched subfolders ${depth} levels deep; here all of them are watched`)
    note('config.path', say`could watch any folder; here it must be allowed under Settings, Allowed folders`)
    const config = {
      ...(watchesFile ? { path: folder, pattern: name } : { path, subfolders: depth !== 0 }),
      events,
      ...(options['ignoreInitial'] === false ? { first: 'all' } : {}),
    }
    const event = `{'new': 'add', 'changed': 'change', 'gone': 'unlink'}[${ref}.event]`
    return asStep(
      { ref_id: ref, type: 'folder_trigger', config },
      {
        ...oneItem(ref),
        whole: `{'event': ${event}, 'path': ${ref}.path}`,
        js: `{ event: { new: 'add', changed: 'change', gone: 'unlink' }[input.${ref}.event], path: input.${ref}.path }`,
        fields: { event, path: `${ref}.path` },
      },
    )
  },
}

export const mailTriggerNode: NodeType = {
  runs: 'each',
  isTrigger: true,
  convert(context) {
    const { node, ref, note } = context
    const { parameters } = node
    const format = textOf(parameters['format']) || 'simple'
    if (format !== 'simple' && format !== 'resolved') refuse(say`reads emails in their raw form`)
    const search = textOf(childOf(parameters, 'options')['customEmailConfig']).replaceAll(/\s/g, '')
    if (!['', '["UNSEEN"]', '["ALL"]'].includes(search)) refuse(say`searches emails by its own rules`)
    sayCredentials(context)
    note(null, say`had attachments as files of the item; here they are in "attachments", each with a file_id`)
    const config = {
      auth_id: '',
      mailbox: plainly(parameters['mailbox'] ?? 'INBOX', 'mailbox') || 'INBOX',
      unseen_only: search !== '["ALL"]',
      mark_seen: (textOf(parameters['postProcessAction']) || 'read') === 'read',
      attachments: format === 'resolved' || parameters['downloadAttachments'] === true,
      first: 'all',
    }
    return asStep(
      { ref_id: ref, type: 'imap_trigger', config },
      format === 'simple' ? simpleMail(ref) : resolvedMail(ref),
    )
  },
}

const sender = (ref: string) =>
  `(${ref}.from_name ~ ' <' ~ ${ref}.from ~ '>' if ${ref}.from_name else ${ref}.from)`
const SENDER_JS = `email.from_name ? email.from_name + ' <' + email.from + '>' : email.from`

function simpleMail(ref: string): Source {
  const fields = {
    subject: `${ref}.subject`,
    from: sender(ref),
    to: `(${ref}.to | join(', '))`,
    cc: `(${ref}.cc | join(', '))`,
    date: `${ref}.date`,
    textPlain: `${ref}.text`,
    textHtml: `${ref}.html`,
    metadata: `${ref}.headers`,
  }
  return {
    ...oneItem(ref),
    whole: dictionaryOf({ ...fields, attributes: `{'uid': ${ref}.uid}`, attachments: `${ref}.attachments` }),
    js: `((email) => ({ subject: email.subject, from: ${SENDER_JS}, to: email.to.join(', '), cc: email.cc.join(', '), date: email.date, textPlain: email.text, textHtml: email.html, metadata: email.headers, attributes: { uid: email.uid }, attachments: email.attachments }))(input.${ref})`,
    fields: { ...fields, attributes: `{'uid': ${ref}.uid}`, attachments: `${ref}.attachments` },
  }
}

function resolvedMail(ref: string): Source {
  const from = `{'text': ${sender(ref)}, 'value': [{'address': ${ref}.from, 'name': ${ref}.from_name}]}`
  const fields = {
    subject: `${ref}.subject`,
    from,
    to: `{'text': ${ref}.to | join(', ')}`,
    date: `${ref}.date`,
    text: `${ref}.text`,
    html: `${ref}.html`,
    messageId: `${ref}.message_id`,
    headers: `${ref}.headers`,
    attributes: `{'uid': ${ref}.uid}`,
    attachments: `${ref}.attachments`,
  }
  return {
    ...oneItem(ref),
    whole: dictionaryOf(fields),
    js: `((email) => ({ subject: email.subject, from: { text: ${SENDER_JS}, value: [{ address: email.from, name: email.from_name }] }, to: { text: email.to.join(', ') }, date: email.date, text: email.text, html: email.html, messageId: email.message_id, headers: email.headers, attributes: { uid: email.uid }, attachments: email.attachments }))(input.${ref})`,
    fields,
  }
}

const dictionaryOf = (fields: Readonly<Record<string, string>>) =>
  `{${Object.entries(fields)
    .map(([name, value]) => `'${name}': ${value}`)
    .join(', ')}}`

/** Requires a literal, because what a trigger watches has to be known before a run. */
function plainly(value: unknown, what: string): string {
  return isExpression(value) ? refuse(say`uses an expression for "${what}"`) : textOf(value).slice(0, 500)
}
