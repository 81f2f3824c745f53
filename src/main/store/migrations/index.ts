/** All migrations, oldest first. A released one is never edited. */
import type { Migration } from './migrate.ts'
import { firstSchema } from './0001-first-schema.ts'
import { teams } from './0002-teams.ts'
import { catalogueState } from './0003-catalogue-state.ts'
import { idempotencyKeys } from './0004-idempotency-keys.ts'
import { flowOwners } from './0005-flow-owners.ts'
import { schedules } from './0006-schedules.ts'
import { fileUploads } from './0007-file-uploads.ts'
import { seenDeliveries } from './0008-seen-deliveries.ts'
import { tokenLifetimes } from './0009-token-lifetimes.ts'
import { keyValues } from './0010-key-values.ts'
import { stepPins } from './0011-step-pins.ts'
import { formerTokens } from './0012-former-tokens.ts'
import { runSearch } from './0013-run-search.ts'
import { stepAuthors } from './0014-step-authors.ts'
import { connectorAuthUses } from './0015-connector-auth-uses.ts'
import { pinOrigins } from './0016-pin-origins.ts'
import { tokenCreators } from './0017-token-creators.ts'
import { formerSecrets } from './0018-former-secrets.ts'
import { authOrigins } from './0019-auth-origins.ts'
import { fairQueue } from './0020-fair-queue.ts'
import { connectorImages } from './0021-connector-images.ts'
import { versionNames } from './0022-version-names.ts'
import { rejectedBodies } from './0023-rejected-bodies.ts'
import { alarms } from './0024-alarms.ts'
import { tunnel } from './0025-tunnel.ts'
import { pageSessions } from './0026-page-sessions.ts'
import { packedSteps } from './0027-packed-steps.ts'
import { triggers } from './0028-triggers.ts'
import { dataTables } from './0029-data-tables.ts'
import { questions } from './0030-questions.ts'
import { runDeaths } from './0031-run-deaths.ts'
import { triggerSuspects } from './0032-trigger-suspects.ts'
import { runsFromAnyone } from './0033-runs-from-anyone.ts'

export const MIGRATIONS: readonly Migration[] = [
  firstSchema,
  teams,
  catalogueState,
  idempotencyKeys,
  flowOwners,
  schedules,
  fileUploads,
  seenDeliveries,
  tokenLifetimes,
  keyValues,
  stepPins,
  formerTokens,
  runSearch,
  stepAuthors,
  connectorAuthUses,
  pinOrigins,
  tokenCreators,
  formerSecrets,
  authOrigins,
  fairQueue,
  connectorImages,
  versionNames,
  rejectedBodies,
  alarms,
  tunnel,
  pageSessions,
  packedSteps,
  triggers,
  dataTables,
  questions,
  runDeaths,
  triggerSuspects,
  runsFromAnyone,
]
