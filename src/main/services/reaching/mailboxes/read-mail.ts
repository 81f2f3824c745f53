/**
 * Reads emails as data. The sender chooses all of it, so everything is limited, and no text can become a path or add a
 * line.
 */
import { englishOf, say, type Said } from '../../../../shared/contract/base/message.ts'
import { trimBoth } from '../../../../shared/trim.ts'
import type { FetchMessageObject, ImapFlow } from 'imapflow'
import type { Address } from 'postal-mime'
import type { ReceivedMail } from '../../../engine/flow/model/ports.ts'
import { nameProblem } from '../step-ports/portable-names.ts'
import { type ParsedMail, parseMail } from './parse-mail.ts'

/** An email as it appears in a list. */
export type MailSummary = Pick<FetchMessageObject, 'uid' | 'envelope' | 'flags' | 'size' | 'internalDate'>

export const SUMMARY = { uid: true, envelope: true, flags: true, size: true, internalDate: true } as const

export interface ReadMail extends ReceivedMail {
  /** The raw email and why it can't be read; null if it can. An unreadable email has only its headers. */
  readonly unreadable: { readonly reason: Said; readonly source: Uint8Array } | null
}

/** Null if the email no longer exists. */
export async function readMail(
  client: ImapFlow,
  { uid, size = 0, internalDate }: MailSummary,
  { attachments: withAttachments }: { readonly attachments: boolean },
): Promise<ReadMail | null> {
  const isTooLarge = size > LARGEST_MAIL
  const query = isTooLarge ? { headers: true } : { source: { start: 0, maxLength: LARGEST_MAIL } }
  const found = await client.fetchOne(String(uid), query, { uid: true })
  if (!found) return null
  const source = (isTooLarge ? found.headers : found.source) ?? Buffer.alloc(0)
  const { email, problem, unreadable } = await read(source)
  const files = withAttachments ? (email?.attachments ?? []) : []
  const problems = [
    ...(isTooLarge ? [`is larger than ${LARGEST_MAIL / 1_048_576} MiB, so only its headers were read`] : []),
    ...(problem === null ? [] : [problem]),
    ...(files.length > MOST_FILES
      ? [`has more than ${MOST_FILES} attachments; the others were left out`]
      : []),
  ]
  return {
    uid,
    unreadable,
    receivedAt: dateOf(internalDate),
    ...fieldsOf(email),
    problem: problems.length === 0 ? null : `The email ${problems.join(', and ')}`,
    files: [
      ...(unreadable === null
        ? []
        : [{ filename: 'email.eml', contentType: 'message/rfc822', content: unreadable.source }]),
      ...files.slice(0, MOST_FILES).map(({ filename, mimeType, content }, at) => ({
        filename: safeName(filename, at),
        contentType: line(mimeType).slice(0, 200) || 'application/octet-stream',
        content: typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content),
      })),
    ],
  }
}

interface Read extends Pick<ReadMail, 'unreadable'> {
  readonly email: ParsedMail | null
  readonly problem: string | null
}

/** For an email that can't be read, returns its first headers, and the whole email as a file. */
async function read(source: Uint8Array): Promise<Read> {
  const { email, problem } = await parseMail(source)
  if (problem === null) return { email, problem, unreadable: null }
  const { email: start } = await parseMail(headersIn(source))
  const unreadable = { reason: say("The email can't be read: {{reason}}", { reason: problem }), source }
  return { email: start, problem: `can't be read: ${englishOf(problem)}`, unreadable }
}

function headersIn(source: Uint8Array): Uint8Array {
  const start = Buffer.from(source.subarray(0, MOST_HEADER_BYTES))
  const end = /\r?\n\r?\n/.exec(start.toString('latin1'))?.index ?? start.length
  return new Uint8Array(start.subarray(0, end))
}

function fieldsOf(email: ParsedMail | null): Omit<ReceivedMail, 'uid' | 'receivedAt' | 'problem' | 'files'> {
  const [from] = mailboxesOf(email?.from ? [email.from] : [])
  const addresses = (list: readonly Address[] | undefined) =>
    mailboxesOf(list ?? []).map(({ address }) => address)
  return {
    messageId: line(email?.messageId).slice(0, 998) || null,
    subject: line(email?.subject).slice(0, 2_000),
    from: from?.address ?? '',
    fromName: from?.name ?? '',
    to: addresses(email?.to),
    cc: addresses(email?.cc),
    replyTo: addresses(email?.replyTo),
    date: dateOf(email?.date),
    text: (email?.text ?? '').slice(0, LONGEST_TEXT),
    html: (email?.html ?? '').slice(0, LONGEST_TEXT),
    headers: headersOf(email),
  }
}

function mailboxesOf(list: readonly Address[]): { name: string; address: string }[] {
  return list
    .flatMap((one) => one.group ?? [one])
    .slice(0, MOST_ADDRESSES)
    .map(({ name, address }) => ({ name: line(name).slice(0, 300), address: line(address).slice(0, 320) }))
    .filter(({ address }) => address !== '')
}

/** The first header of each name; names are in lower case. */
function headersOf(email: ParsedMail | null): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const { key, value } of email?.headers ?? []) {
    if (headers.size >= MOST_HEADERS) break
    if (/^[!-9;-~]{1,100}$/.test(key) && !headers.has(key)) headers.set(key, line(value).slice(0, 4_000))
  }
  return headers
}

/** Puts the text on one line, because a line break could become a header of another email. */
function line(text: string | null | undefined): string {
  // oxlint-disable-next-line no-control-regex -- exactly those are meant
  return (text ?? '').replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim()
}

/** Returns only a file name that is valid on every system: `../../x` and `C:\x` become `x`. */
function safeName(given: string | null, at: number): string {
  const base = line(given).split(/[/\\]/).at(-1) ?? ''
  const name = trimBoth(base.replace(/[<>:"|?*]/g, '_'), '. ')
  const [, stem = name, extension = ''] = /^(.*?)(\.[\p{L}\p{N}]{1,10})?$/u.exec(name) ?? []
  const short = `${[...stem].slice(0, 100).join('')}${extension}`
  if (short === '') return `attachment-${at + 1}`
  return nameProblem(short) === null ? short : `_${short}`
}

function dateOf(given: Date | string | undefined): string | null {
  const date = given === undefined ? null : new Date(given)
  return date === null || Number.isNaN(date.getTime()) ? null : date.toISOString()
}

export const LARGEST_MAIL = 25 * 1_048_576
const LONGEST_TEXT = 1_048_576
const MOST_FILES = 100
const MOST_ADDRESSES = 500
const MOST_HEADERS = 200
const MOST_HEADER_BYTES = 65_536
