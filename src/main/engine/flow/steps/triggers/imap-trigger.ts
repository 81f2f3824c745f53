import { say } from '../../../../../shared/contract/base/message.ts'
import { type Data, type Dictionary, dictionaryOf, isDictionary, keysOf } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'
import type { ReceivedMail, StoredFile } from '../../model/ports.ts'
import { atField } from '../support/read-input.ts'
import { findAuth } from '../support/step-auth.ts'

/** Starts a flow for emails in a mailbox. A run without input, which an editor starts, takes the newest email. */
export const imapTrigger: StepRunner<'imap_trigger'> = {
  outside: false,
  async run({ config }, scope) {
    const { input, ports, signal } = scope
    if (!isDictionary(input) || keysOf(input).length > 0) return input
    const auth = await findAuth(config, null, scope)
    if (auth === null) {
      throw scope.fail('validation', say('"auth_id" is missing; choose a connector auth of "IMAP"'), {
        field: 'config.auth_id',
      })
    }
    const call = { auth, mailbox: config.mailbox, attachments: config.attachments }
    const newest = await atField(scope, 'config.auth_id', ports.mailboxes.readNewest(call, signal))
    if (newest === null) throw scope.fail('validation', say('the mailbox has no emails to test with'))
    return mailInput(
      newest,
      config.mailbox,
      await keepFiles(newest.files, (file) => ports.keepFile(file, scope.runId)),
    )
  },
}

async function keepFiles(
  files: readonly StoredFile[],
  keep: (file: StoredFile) => Promise<string>,
): Promise<string[]> {
  const ids: string[] = []
  for (const file of files) ids.push(await keep(file))
  return ids
}

/** The object that a run for an email begins with; the IDs are those of its attachments, in order. */
export function mailInput(mail: ReceivedMail, mailbox: string, fileIds: readonly string[]): Dictionary {
  const attachments = mail.files.map(({ filename, contentType, content }, at): Data =>
    dictionaryOf([
      ['filename', filename],
      ['content_type', contentType],
      ['size', content.length],
      ['file_id', fileIds[at] ?? null],
    ]),
  )
  return dictionaryOf([
    ['message_id', mail.messageId],
    ['subject', mail.subject],
    ['from', mail.from],
    ['from_name', mail.fromName],
    ['to', mail.to],
    ['cc', mail.cc],
    ['reply_to', mail.replyTo],
    ['date', mail.date],
    ['received_at', mail.receivedAt],
    ['text', mail.text],
    ['html', mail.html],
    ['attachments', attachments],
    ['headers', dictionaryOf([...mail.headers])],
    ['mailbox', mailbox],
    ['uid', mail.uid],
    ['problem', mail.problem],
  ])
}
