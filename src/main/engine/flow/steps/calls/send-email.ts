import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf, getKey, isDictionary, isList } from '@millrace/jinja/data'
import { valueText } from '../../../request/query-string.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import type { Mail, StoredFile } from '../../model/ports.ts'
import { atField, shortText } from '../support/read-input.ts'
import { oneLine, readAddresses, readFrom } from '../support/mail-fields.ts'
import { openStoredFile } from '../support/read-text.ts'
import { findAuth } from '../support/step-auth.ts'

type Config = StepConfig<'send_email'>

/**
 * Sends one email. Its Message-ID is derived from run, step and iteration, so that a repeat after a crash is
 * recognizable.
 */
export const sendEmail: StepRunner<'send_email'> = {
  outside: true,
  async run({ config, ref }, scope) {
    const auth = await findAuth(config, null, scope)
    if (auth === null) {
      throw scope.fail('validation', say('"auth_id" is missing; choose a connector auth of "SMTP"'), {
        field: 'config.auth_id',
      })
    }
    const mail: Mail = {
      auth,
      messageId: `<${[scope.runId, ref, ...scope.iteration].join('.')}@millrace>`,
      from: readFrom(config, auth.username, scope),
      to: readAddresses('to', config.to, scope),
      cc: readAddresses('cc', config.cc, scope),
      bcc: readAddresses('bcc', config.bcc, scope),
      replyTo: readAddresses('reply_to', config.reply_to, scope)[0] ?? null,
      subject: oneLine(scope.renderText('config.subject', config.subject)),
      text: scope.renderText('config.text', config.text),
      html: scope.renderText('config.html', config.html),
      attachments: readAttachments(config, scope),
    }
    checkRecipients(mail, scope)
    scope.showInput(shownMail(mail))
    const { messageId } = await atField(scope, 'config.auth_id', scope.ports.sendMail(mail, scope.signal))
    return dictionaryOf([['message_id', messageId]])
  },
}

function checkRecipients({ to, cc, bcc }: Mail, scope: StepScope): void {
  const count = to.length + cc.length + bcc.length
  if (to.length === 0) {
    throw scope.fail('validation', say('"to" is empty; add at least one email address'), {
      field: 'config.to',
    })
  }
  if (count > MOST_RECIPIENTS) {
    throw scope.fail(
      'too_large',
      say('the email has {{count}} recipients; the limit is {{limit}}. Send several emails in a loop', {
        count,
        limit: MOST_RECIPIENTS,
      }),
      { field: 'config.to' },
    )
  }
}

function readAttachments({ attachments }: Config, scope: StepScope): StoredFile[] {
  const field = 'config.attachments'
  const value = attachments === '' ? [] : scope.evaluate(field, attachments)
  const list = isList(value) ? value : [value]
  const files = list.filter((item) => item !== null).map((item) => toFile(item, scope))
  const bytes = files.reduce((sum, { content }) => sum + content.byteLength, 0)
  if (bytes <= MOST_BYTES) return files
  throw scope.fail(
    'too_large',
    say('the attachments are {{bytes}} bytes in total; the limit is {{limit}}. Send a link instead', {
      bytes,
      limit: MOST_BYTES,
    }),
    { field },
  )
}

/** An uploaded or received file, or a string that becomes one. */
function toFile(item: Data, scope: StepScope): StoredFile {
  const field = 'config.attachments'
  const id = isDictionary(item) ? getKey(item, 'file_id') : item
  const name = isDictionary(item) ? getKey(item, 'filename') : undefined
  if (id !== undefined) {
    const file = openStoredFile(id, field, scope)
    return typeof name === 'string' && name !== '' ? { ...file, filename: oneLine(name) } : file
  }
  const content = isDictionary(item) ? getKey(item, 'content') : undefined
  if (typeof name === 'string' && name !== '' && content !== undefined && isDictionary(item)) {
    const type = getKey(item, 'content_type')
    return {
      filename: oneLine(name),
      contentType: typeof type === 'string' ? oneLine(type) : 'text/plain; charset=utf-8',
      content: Buffer.from(valueText(content)),
    }
  }
  throw scope.fail(
    'validation',
    say('an attachment is {{value}}; it needs a "file_id", or "filename" and "content"', {
      value: shortText(item),
    }),
    { field },
  )
}

function shownMail(mail: Mail): Data {
  return dictionaryOf([
    ['from', mail.from],
    ['to', mail.to],
    ['cc', mail.cc],
    ['subject', mail.subject],
    ['text', mail.text],
    ['html', mail.html],
    ['attachments', mail.attachments.map(({ filename }) => filename)],
  ])
}

const MOST_RECIPIENTS = 100
const MOST_BYTES = 25_000_000
