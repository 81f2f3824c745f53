import type { MailboxPort } from '../../../engine/flow/model/ports.ts'
import { useMailbox } from './open-mailbox.ts'
import { readMail, SUMMARY } from './read-mail.ts'

export const mailboxes: MailboxPort = {
  readNewest({ auth, mailbox, attachments }, signal) {
    return useMailbox({ auth, mailbox, readOnly: true }, signal, async ({ client, box }) => {
      const newest = box.exists === 0 ? false : await client.fetchOne('*', SUMMARY)
      return newest ? readMail(client, newest, { attachments }) : null
    })
  },
}
