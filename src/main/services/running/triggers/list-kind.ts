import { say, type Said } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import { PACING_FIELDS } from '../../../../shared/contract/step-types/parts/polling.ts'
import { STEP_CONFIGS, type StepConfig } from '../../../../shared/contract/step-types/index.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { type Data, dictionaryOf, getKey, isDictionary } from '@millrace/jinja/data'
import type { PolledType } from '../../../engine/flow/model/list-read.ts'
import { readTriggerList } from '../../../engine/flow/run/read-trigger-list.ts'
import { inputOf, rulesOf } from '../../../engine/flow/steps/support/polled-trigger.ts'
import { compareCursors, lookBackFrom } from '../../../engine/polling/cursor.ts'
import {
  type EntryRules,
  findNewEntries,
  higherCursor,
  type ListedEntry,
} from '../../../engine/polling/new-entries.ts'
import type { EnvValues } from '../execution/run-executor.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import type { PortsFor } from '../../reaching/step-ports/step-ports.ts'
import {
  type Finding,
  type TriggerCheck,
  type TriggerKind,
  type TriggerStart,
  storedSentence,
} from './trigger-kind.ts'

export interface ListKindOptions {
  readonly portsFor: PortsFor
  readonly env: EnvValues
  readonly random: Pick<SecureRandom, 'uuid'>
}

export function createListKind(type: PolledType, options: ListKindOptions): TriggerKind {
  const parse = (config: Step['config']) => STEP_CONFIGS[type].parse(config)
  return {
    runTrigger: 'list',
    identity: (config) => Object.entries(config).filter(([name]) => !PACING_FIELDS.includes(name)),
    everyMs: (config) => parse(config).every_minutes * 60_000,
    noteOf: (state) => readState(state).doubt,
    check: (check) => findInList(parse(check.config), check, options),
  }
}

async function findInList(
  config: StepConfig<PolledType>,
  { flow, refId, isFirst, state, isKnown, signal }: TriggerCheck,
  { portsFor, env, random }: ListKindOptions,
): Promise<Finding> {
  const { cursor, memo, doubt } = readState(state)
  const rules = rulesOf(config)
  const ports = { ...portsFor(flow.readers), recordFiles: undefined }
  const newest = isFirst ? FIRST_COUNTS[config.first](config.newest) : null
  const list = await readTriggerList(flow.compiled, {
    ref: refId,
    id: random.uuid(),
    env: env(),
    wish: {
      memo,
      since: cursor === null ? null : lookBackFrom(cursor, rules.lookBack),
      newest,
    },
    ports,
    signal,
  })
  if (list.entries === null)
    return { seen: [], starts: [], state: toState({ cursor, memo: list.memo, doubt }) }
  const { yieldToEventLoop } = ports
  const { fresh, known } = await findNewEntries(list.entries, { rules, cursor, isKnown, yieldToEventLoop })
  if (list.hasMore && (fresh.length === 0 || newest !== null)) throw crowded()
  const isCut = newest === null && fresh.length > mostOf(config)
  const inTurn = isCut ? fresh.slice(0, mostOf(config)) : fresh
  const count = Math.min(newest ?? inTurn.length, inTurn.length)
  const chosen = count === 0 ? [] : inTurn.slice(-count)
  const left = inTurn.slice(0, inTurn.length - count)
  const advance = advanceBy(rules)
  const reached = inTurn.reduce((highest, entry) => advance(highest, entry.cursor), cursor)
  return {
    seen: [
      ...known,
      ...(rules.isOrdered ? left.map(({ id }) => id) : inReach(left, reached, rules.lookBack)),
    ],
    starts: startsOf(config, chosen, { cursor, memo, doubt: list.doubt ?? null }, advance),
    // Keeps the old memo if entries are left over, because with the new one, the feed wouldn't be sent again.
    state: toState({ cursor: reached, memo: isCut ? memo : list.memo, doubt: list.doubt ?? null }),
    ...(list.hasMore || isCut ? { againMs: isCut ? NEXT_PART_MS : 0 } : {}),
  }
}

/** Number of the newest entries that start runs at the first check; null for all. */
const FIRST_COUNTS: Readonly<Record<StepConfig<PolledType>['first'], (newest: number) => number | null>> = {
  none: () => 0,
  all: () => null,
  newest: (newest) => newest,
}

type Advance = (highest: Data, next: Data) => Data

/**
 * The later of two cursors. In an ordered list, an entry after the highest one is never lower, even if it seems so
 * here, because a database can sort text differently.
 */
const advanceBy =
  ({ isOrdered, lookBack }: EntryRules): Advance =>
  (highest, next) =>
    isOrdered && next !== null && lookBackFrom(highest, lookBack) === highest
      ? next
      : higherCursor(highest, next)

function crowded(): AppError {
  return new AppError(
    'too_large',
    say(
      'More rows than a check reads have the highest value of "cursor_field" or are within "look_back"; choose a cursor with fewer equal values, or look back less',
    ),
  )
}

/** The entries that can be found again; the cursor excludes all others. */
function inReach(entries: readonly ListedEntry[], reached: Data, lookBack: number): string[] {
  const from = lookBackFrom(reached, lookBack)
  return entries
    .filter(({ cursor }) => cursor === null || compareCursors(cursor, from) >= 0)
    .map(({ id }) => id)
}

/** The list's new memo only counts once all entries in the list have started runs. */
function startsOf(
  config: StepConfig<PolledType>,
  chosen: readonly ListedEntry[],
  before: ListState,
  advance: Advance,
): TriggerStart[] {
  const size = config.runs === 'together' ? MOST_TOGETHER : 1
  const starts: TriggerStart[] = []
  let { cursor } = before
  for (let at = 0; at < chosen.length; at += size) {
    const part = chosen.slice(at, at + size)
    cursor = part.reduce((highest, entry) => advance(highest, entry.cursor), cursor)
    starts.push({
      ids: part.map(({ id }) => id),
      input: inputOf(
        config,
        part.map(({ entry }) => entry),
      ),
      state: toState({ ...before, cursor }),
    })
  }
  return starts
}

interface ListState {
  /** The highest value of the cursor field. */
  readonly cursor: Data
  readonly memo: Data
  /** The reason why the list may be incomplete, according to the last read. */
  readonly doubt: Said | null
}

function readState(state: Data): ListState {
  const read = (name: string) => (isDictionary(state) ? (getKey(state, name) ?? null) : null)
  return { cursor: read('cursor'), memo: read('memo'), doubt: storedSentence(read('doubt')) }
}

const toState = (state: ListState): Data => dictionaryOf(Object.entries(state) as [string, Data][])

/**
 * Limit for new entries per check, because the publisher of a feed chooses how many it has; the next checks continue.
 */
const mostOf = (config: StepConfig<PolledType>) =>
  'source' in config && config.source === 'feed' ? FEED_ENTRIES_A_LOOK : Infinity

const MOST_TOGETHER = 1_000
const FEED_ENTRIES_A_LOOK = 1_000
const NEXT_PART_MS = 60_000
