import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { Readable } from 'node:stream'
import type { ImapFlow } from 'imapflow'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { STEP_CONFIGS, type StepConfig } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { type Data, dictionaryOf, getKey, isDictionary, isList } from '@millrace/jinja/data'
import type { ReceivedMail } from '../../../engine/flow/model/ports.ts'
import { mailInput } from '../../../engine/flow/steps/triggers/imap-trigger.ts'
import { idOf } from '../../../engine/polling/new-entries.ts'
import type { RunnableFlow, RunnableFlows } from '../execution/runnable-flows.ts'
import type { FilesService } from '../../keeping/files/files.ts'
import { type OpenMailbox, openMailbox, useMailbox } from '../../reaching/mailboxes/open-mailbox.ts'
import { type MailSummary, type ReadMail, readMail, SUMMARY } from '../../reaching/mailboxes/read-mail.ts'
import { watchMailbox } from '../../reaching/mailboxes/watch-mailbox.ts'
import type { OutgoingPorts, PortsFor } from '../../reaching/step-ports/step-ports.ts'
import {
  type Finding,
  isDeadly,
  type SetAside,
  type TriggerCheck,
  type TriggerKind,
  type TriggerStart,
  storedSentence,
} from './trigger-kind.ts'

export interface MailKindOptions {
  readonly portsFor: PortsFor
  readonly outgoing: Pick<OutgoingPorts, 'clock' | 'random' | 'sleep'>
  readonly runnable: Pick<RunnableFlows, 'get'>
  readonly files: Pick<FilesService, 'receive' | 'store'>
}

type Config = StepConfig<'imap_trigger'>

/** Finds emails by their number in the mailbox, which only grows; the server only signals when to check. */
export function createMailKind(options: MailKindOptions): TriggerKind {
  const { outgoing, runnable } = options
  const parse = (config: Step['config']): Config => STEP_CONFIGS.imap_trigger.parse(config)
  return {
    runTrigger: 'mail',
    looksAtStart: true,
    identity: ({ auth_id: authId, mailbox, from, subject, unseen_only: unseen }) => [
      authId,
      mailbox ?? 'INBOX',
      from ?? null,
      subject ?? null,
      unseen ?? false,
    ],
    everyMs: (config) => parse(config).every_minutes * 60_000,
    async check(check) {
      const config = parse(check.config)
      const place = {
        auth: await openAuth(check.flow, config, options),
        mailbox: config.mailbox,
        readOnly: !config.mark_seen,
      }
      return useMailbox(place, check.signal, (open) => findMail(open, config, check, options))
    },
    noteOf: (state) => readState(state).note,
    watch(flowId, given, { onSign, onChange }) {
      const config = parse(given)
      const watch = watchMailbox({
        async open(signal) {
          const flow = runnable.get(flowId)
          if (flow === null) throw new AppError('not_found', say('The flow was deleted'))
          const auth = await openAuth(flow, config, options)
          return openMailbox({ auth, mailbox: config.mailbox, readOnly: true }, signal)
        },
        onSign,
        onChange,
        now: () => outgoing.clock.now(),
        random: outgoing.random,
        sleep: (ms, signal) => outgoing.sleep(ms, signal).catch(() => undefined),
      })
      return { listening: () => watch.state, close: () => watch.close() }
    },
  }
}

async function openAuth(
  flow: RunnableFlow,
  { auth_id: id }: Config,
  { portsFor }: MailKindOptions,
): Promise<OpenAuth> {
  const auth = await portsFor(flow.readers).openAuth(id)
  if (auth !== null) return auth
  throw new AppError('not_found', say('There is no connector auth with the ID {{id}}', { id }))
}

async function findMail(
  { client, box }: OpenMailbox,
  config: Config,
  { isFirst, state, isKnown, suspects, noteReading, signal }: TriggerCheck,
  { files, outgoing }: MailKindOptions,
): Promise<Finding> {
  const before = readState(state)
  const now = outgoing.clock.now()
  const validity = String(box.uidValidity)
  const isRenumbered = before.validity !== null && before.validity !== validity
  if (!isRenumbered && before.unmarked.length > 0)
    await client.messageFlagsAdd(before.unmarked.join(','), [SEEN], { uid: true })
  const last = await lastUid({ client, box })
  const from = isRenumbered ? await afterRenumbering(client, before, last, now) : before
  const base = { ...from, validity, checkedAt: now, unmarked: [] }

  const isSkipped = isFirst && config.first === 'none'
  const all = isSkipped || last <= from.uid ? [] : await uidsAfter(client, from.uid)
  const wanted = isFirst && config.first === 'newest' ? all.slice(-config.newest) : all
  const portion = wanted.slice(0, MAILS_AT_ONCE)
  const again = retriesIn(suspects, validity)
  const starts: TriggerStart[] = []
  const unmarked: number[] = []
  let isWhole = portion.length === wanted.length
  let reached = portion.at(-1) ?? 0
  let bytes = 0
  const missing = new Set(portion)
  const setAside: SetAside[] = []
  const cleared: string[] = []
  const summaries = await summariesOf(client, [...again.keys(), ...portion])
  for (const summary of summaries) {
    signal.throwIfAborted()
    const item = itemOf(summary, validity)
    const suspect = suspects.get(item)
    const isDoubtful = summary.uid <= from.doubtful.until && !again.has(summary.uid)
    if (!matches(summary, config) || (isDoubtful && isOld(summary, from, validity, isKnown))) {
      missing.delete(summary.uid)
      continue
    }
    if (suspect !== undefined && isDeadly(suspect)) {
      missing.delete(summary.uid)
      setAside.push({ item, title: titleOf(summary), reason: DEADLY })
      continue
    }
    await noteReading(item)
    const mail = await readMail(client, summary, config)
    if (mail === null) continue
    missing.delete(summary.uid)
    if (mail.unreadable === null) {
      if (suspect !== undefined) cleared.push(item)
      if (config.mark_seen && !summary.flags?.has(SEEN)) unmarked.push(summary.uid)
      const fileIds = await storeAll(mail, files)
      starts.push({
        ids: [idOfMail(summary, validity)],
        files: fileIds,
        input: mailInput(mail, config.mailbox, fileIds),
        state: toState({ ...base, uid: Math.max(summary.uid, from.uid), unmarked: [...unmarked] }),
      })
    } else setAside.push(await unreadableMail(mail.unreadable, summary, item, files))
    bytes += summary.size ?? 0
    if (bytes < BYTES_AT_ONCE || summary.uid === portion.at(-1)) continue
    isWhole = false
    reached = Math.max(summary.uid, from.uid)
    break
  }
  await requireGone(
    client,
    [...missing].filter((uid) => uid <= reached),
  )
  return {
    // Identified by their Message-ID, in case the server renumbers them.
    seen: isFirst ? await recentIds(client, validity, now) : [],
    starts,
    setAside,
    cleared: isWhole ? clearedBy(suspects, setAside) : cleared,
    state: toState({ ...base, uid: isWhole ? Math.max(last, reached, from.uid) : reached, unmarked }),
    // Once this is stored, the next check reads the rest and marks emails as read.
    ...(isWhole && unmarked.length === 0 ? {} : { againMs: 0 }),
  }
}

/** Emails that a user wants to read again, and their items. Items from an earlier numbering are dropped. */
function retriesIn(suspects: TriggerCheck['suspects'], validity: string): Map<number, string> {
  const items = [...suspects.values()].filter(({ state }) => state === 'retry').map(({ item }) => item)
  return new Map(
    items.flatMap((item) => {
      const [numbering, uid] = item.split(':')
      return numbering === validity ? [[Number(uid), item] as const] : []
    }),
  )
}

/** For a mailbox that was read to its end: all suspects except those that are set aside. */
function clearedBy(suspects: TriggerCheck['suspects'], setAside: readonly SetAside[]): string[] {
  const kept = new Set(setAside.map(({ item }) => item))
  return [...suspects.values()].flatMap(({ item, state }) =>
    state === 'set_aside' || kept.has(item) ? [] : [item],
  )
}

async function unreadableMail(
  { reason, source }: NonNullable<ReadMail['unreadable']>,
  summary: MailSummary,
  item: string,
  files: Pick<FilesService, 'receive'>,
): Promise<SetAside> {
  const content = await files.receive(toChunks(source), { maxBytes: Infinity })
  const file = { content, filename: `email-${summary.uid}.eml`, contentType: 'message/rfc822' }
  return { item, title: titleOf(summary), reason, file }
}

const itemOf = ({ uid }: MailSummary, validity: string) => `${validity}:${uid}`

function titleOf({ uid, envelope }: MailSummary): string {
  const sender = envelope?.from?.[0]?.address ?? ''
  const subject = (envelope?.subject ?? '').replace(/\s/g, ' ').slice(0, 200)
  return `${subject || `Email ${uid}`}${sender === '' ? '' : ` (${sender.slice(0, 200)})`}`
}

async function* toChunks(source: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(source)
}

async function lastUid({ client, box }: OpenMailbox): Promise<number> {
  if (box.exists === 0) return Math.max(0, (box.uidNext || 1) - 1)
  if (box.uidNext > 0) return box.uidNext - 1
  const newest = await client.fetchOne('*', { uid: true })
  return newest ? newest.uid : 0
}

/** In ascending order. A range up to `*` always includes the last email, even if its number is lower. */
async function uidsAfter(client: ImapFlow, uid: number): Promise<number[]> {
  const found = await client.search({ uid: `${uid + 1}:*` }, { uid: true })
  return toUids(found).filter((one) => one > uid)
}

const toUids = (found: unknown): number[] =>
  Array.isArray(found) ? (found as number[]).toSorted((a, b) => a - b) : []

/**
 * Emails that weren't returned must have been deleted in the meantime, because otherwise they would be skipped for
 * good.
 */
async function requireGone(client: ImapFlow, missing: readonly number[]): Promise<void> {
  if (missing.length === 0) return
  const there = toUids(await client.search({ uid: missing.join(',') }, { uid: true }))
  if (!missing.some((uid) => there.includes(uid))) return
  throw new AppError(
    'unavailable',
    say('The mail server lists emails that it does not return; try again later'),
  )
}

async function summariesOf(client: ImapFlow, uids: readonly number[]): Promise<MailSummary[]> {
  if (uids.length === 0) return []
  const wanted = new Set(uids)
  const found = await client.fetchAll(uids.join(','), SUMMARY, { uid: true })
  return found.filter(({ uid }) => wanted.delete(uid)).toSorted((a, b) => a.uid - b.uid)
}

function matches(
  { envelope, flags }: MailSummary,
  { from, subject, unseen_only: isUnseen }: Config,
): boolean {
  const contains = (text: string, part: string | null) =>
    part === null || text.toLowerCase().includes(part.trim().toLowerCase())
  const senders = envelope?.from?.map(({ name, address }) => `${name ?? ''} <${address ?? ''}>`) ?? []
  return (
    contains(senders.join(', '), from) &&
    contains(envelope?.subject ?? '', subject) &&
    !(isUnseen && flags?.has(SEEN))
  )
}

/**
 * The server has renumbered the mailbox (UIDVALIDITY), so numbers no longer show which emails are new. Looks again at
 * emails since a day before the last check.
 */
async function afterRenumbering(
  client: ImapFlow,
  before: MailState,
  last: number,
  now: number,
): Promise<MailState> {
  const since = (before.checkedAt ?? now) - DAY_MS
  const [first] = toUids(await client.search({ since: new Date(since) }, { uid: true }))
  const day = new Date(now).toISOString().slice(0, 10)
  return {
    ...before,
    uid: first === undefined ? last : first - 1,
    doubtful: { until: last, since },
    note: say(
      'The mail server renumbered the mailbox on {{day}}. Emails since the day before the last check started runs, except those whose Message-ID was known.',
      { day },
    ),
  }
}

/** A server that renumbers emails can change their times of arrival, but not the dates on which they were sent. */
function isOld(
  summary: MailSummary,
  { doubtful: { since } }: MailState,
  validity: string,
  isKnown: (id: string) => boolean,
): boolean {
  const times = [summary.internalDate, summary.envelope?.date].flatMap((date) =>
    date === undefined ? [] : [new Date(date).getTime()],
  )
  return isKnown(idOfMail(summary, validity)) || times.some((time) => time < since)
}

async function recentIds(client: ImapFlow, validity: string, now: number): Promise<string[]> {
  const since = new Date(now - 2 * DAY_MS)
  const recent = toUids(await client.search({ since }, { uid: true })).slice(-MOST_RECENT)
  return (await summariesOf(client, recent)).map((one) => idOfMail(one, validity))
}

function idOfMail({ uid, envelope }: MailSummary, validity: string): string {
  return idOf(envelope?.messageId ? [envelope.messageId] : [validity, uid])
}

async function storeAll(mail: ReceivedMail, files: Pick<FilesService, 'store'>): Promise<string[]> {
  const ids: string[] = []
  for (const { filename, contentType, content } of mail.files) {
    const meta = { filename, content_type: contentType }
    ids.push((await files.store(Readable.from([content]), meta)).file_id)
  }
  return ids
}

interface MailState {
  /** The UIDVALIDITY of the numbers below; null at the beginning. */
  readonly validity: string | null
  /** The number of the last email that was looked at. */
  readonly uid: number
  readonly checkedAt: number | null
  /** Emails up to this number may have had a different number before. */
  readonly doubtful: { readonly until: number; readonly since: number }
  /** Emails that started runs and are still to be marked as read. */
  readonly unmarked: readonly number[]
  readonly note: Said | null
}

function readState(state: Data): MailState {
  const dictionary = isDictionary(state) ? state : dictionaryOf([])
  const number = (name: string) => Number(getKey(dictionary, name) ?? 0)
  const text = (name: string) => {
    const value = getKey(dictionary, name)
    return typeof value === 'string' ? value : null
  }
  const unmarked = getKey(dictionary, 'unmarked') ?? []
  return {
    validity: text('validity'),
    uid: number('uid'),
    checkedAt: number('checked_at') || null,
    doubtful: { until: number('doubtful_until'), since: number('doubtful_since') },
    unmarked: isList(unmarked) ? unmarked.map(Number) : [],
    note: storedSentence(getKey(dictionary, 'note')),
  }
}

function toState({ validity, uid, checkedAt, doubtful, unmarked, note }: MailState): Data {
  return dictionaryOf([
    ['validity', validity],
    ['uid', uid],
    ['checked_at', checkedAt],
    ['doubtful_until', doubtful.until],
    ['doubtful_since', doubtful.since],
    ['unmarked', unmarked],
    ['note', note as unknown as Data],
  ])
}

const DEADLY = say('Millrace stopped unexpectedly twice while it read this email; it is still in the mailbox')
const SEEN = String.raw`\Seen`
const DAY_MS = 86_400_000
/** Limit per check; the next one starts at once and continues there. */
const MAILS_AT_ONCE = 100
const BYTES_AT_ONCE = 50 * 1_048_576
const MOST_RECENT = 2_000
