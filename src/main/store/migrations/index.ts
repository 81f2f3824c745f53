import { alarmReceivers } from './alarm-receivers.ts'
import { authDays } from './auth-days.ts'
import { breakpoints } from './breakpoints.ts'
import { CATALOGUE_STATE, CONNECTOR_AUTH_USES, CONNECTOR_IMAGES, CONNECTORS } from './connectors.ts'
import { DATA_TABLES, FILE_UPLOADS, KEY_VALUES } from './data.ts'
import { tokenReach } from './token-reach.ts'
import { EARLIER } from './earlier.ts'
import { ALARMS, FLOWS, SCHEDULES, STEP_PINS, TRIGGER_SUSPECTS, TRIGGERS } from './flows.ts'
import { figures } from './figures.ts'
import { flowTests } from './flow-tests.ts'
import { heldRequests } from './held-requests.ts'
import { forwards } from './forwards.ts'
import type { Migration } from './migrate.ts'
import { rateLimits } from './rate-limits.ts'
import { plugins } from './plugins.ts'
import { resolvedRuns } from './resolved-runs.ts'
import { secretReferences } from './secret-references.ts'
import { severalTriggers } from './several-triggers.ts'
import { webhookOutcomes } from './webhook-outcomes.ts'
import { webhookReasons } from './webhook-reasons.ts'
import { IDEMPOTENCY_KEYS, PROGRAM, TUNNEL } from './program.ts'
import { FORMER_SECRETS, HISTORY, QUESTIONS, REJECTED_BODIES, RUN_SEARCH, SEEN_DELIVERIES } from './runs.ts'
import { FORMER_TOKENS, PAGE_SESSIONS, TEAMS, USERS } from './users.ts'

/**
 * The schema that a new folder begins with. Conventions of all tables: `key` increases in the order of insertion, and
 * lists are paged by it; `id` is the public UUID. Times are milliseconds since 1970, flags 0 or 1, structured values
 * JSON, and columns named `sealed` hold values that only the secret box can open.
 */
const SCHEMA = [
  [PROGRAM, IDEMPOTENCY_KEYS, TUNNEL],
  [USERS, TEAMS, FORMER_TOKENS, PAGE_SESSIONS],
  [CONNECTORS, CATALOGUE_STATE, CONNECTOR_AUTH_USES, CONNECTOR_IMAGES],
  [FLOWS, STEP_PINS, SCHEDULES, TRIGGERS, TRIGGER_SUSPECTS, ALARMS],
  [FILE_UPLOADS, KEY_VALUES, DATA_TABLES],
  [HISTORY, RUN_SEARCH, SEEN_DELIVERIES, REJECTED_BODIES, QUESTIONS, FORMER_SECRETS],
]

/** All migrations, oldest first. A released one is never edited, and neither is SQL that it shares with others. */
export const MIGRATIONS: readonly Migration[] = [
  ...EARLIER,
  { from: 0, version: 33, name: 'first schema', up: (db) => db.exec(SCHEMA.flat().join('\n')) },
  plugins,
  webhookReasons,
  authDays,
  figures,
  rateLimits,
  heldRequests,
  breakpoints,
  forwards,
  webhookOutcomes,
  secretReferences,
  severalTriggers,
  flowTests,
  alarmReceivers,
  tokenReach,
  resolvedRuns,
]
