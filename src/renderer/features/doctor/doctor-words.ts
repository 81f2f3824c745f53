import type {
  DoctorCheck,
  DoctorFinding,
  DoctorReason,
  Examination,
} from '../../../shared/contract/doctor.ts'
import { formatBytes, formatDuration, formatExact, plural } from '../../lib/format.ts'
import { english, t } from '../../lib/i18n.ts'
import type { English } from '../../lib/i18n.ts'

export const CHECK_NAMES: { readonly [C in DoctorCheck]: English } = {
  program: english('Program'),
  data_folder: english('Data folder'),
  database: english('Database'),
  log: english('Log of the database'),
  key: english('Key file'),
  secrets: english('Secrets'),
  disk: english('Disk'),
  backup: english('Last backup'),
  queue: english('Queue'),
  clock: english('Clock'),
  port: english('Port'),
  exposure: english('What is exposed'),
}

interface ReasonWords {
  readonly what: English
  /** What to do; null if nothing needs to be done. */
  readonly advice: English | null
}

export const REASONS: { readonly [R in DoctorReason]: ReasonWords } = {
  makes_code: {
    what: english('Started without the flag that keeps text from becoming code.'),
    advice: english('Start Millrace with millrace start, npm start or its icon; they set the flag.'),
  },
  open_to_others: {
    what: english('Other users of this computer may open it.'),
    advice: english('Take their rights away: chmod 700 for a folder, chmod 600 for a file.'),
  },
  not_writable: {
    what: english('It cannot be written.'),
    advice: english('Correct its permissions; until then nothing can be stored.'),
  },
  damaged: {
    what: english('The database is damaged.'),
    advice: english('Stop Millrace and bring back a backup with millrace restore FILE.'),
  },
  too_large_to_check: {
    what: english('Too large to be checked while it is in use.'),
    advice: english('millrace doctor checks it while Millrace does not run.'),
  },
  log_long: {
    what: english('The log has not been taken into the database for long.'),
    advice: english('Close other programs that read the database, or start Millrace again.'),
  },
  key_missing: {
    what: english('The key file is not there; the secrets can be read until Millrace ends.'),
    advice: english('Export the key now with millrace key export, and keep it.'),
  },
  needs_key: {
    what: english('Some secrets were stored under a key that is not here.'),
    advice: english('Import it with millrace key import, or enter the secrets again.'),
  },
  locked: {
    what: english('This start has no key: secrets can be neither read nor stored.'),
    advice: english('Give it MILLRACE_MASTER_KEY or a key file that can be read.'),
  },
  little_space: {
    what: english('The disk is nearly full.'),
    advice: english('Make room, or shorten how long runs are kept.'),
  },
  no_backup: {
    what: english('There is no backup yet.'),
    advice: english('One is taken each day that Millrace runs; millrace backup FILE takes one now.'),
  },
  backup_old: {
    what: english('The newest backup is older than three days.'),
    advice: english(
      'See whether the folder of the backups can be written, or take one with millrace backup FILE.',
    ),
  },
  waiting_long: {
    what: english('A run has been waiting for more than ten minutes.'),
    advice: english('Let more runs go at the same time in the settings, or look for one that does not end.'),
  },
  clock_moved: {
    what: english('The clock of this computer was moved while Millrace ran.'),
    advice: english('See that the time is right; schedules follow it.'),
  },
  no_answer: {
    what: english('The program does not answer at its own address.'),
    advice: english('See whether a firewall or a proxy stands between, then start Millrace again.'),
  },
  api_exposed: {
    what: english('Requests through a proxy or a tunnel reach the whole API.'),
    advice: english('Switch it off in the settings if the webhooks alone are meant.'),
  },
}

/** The finding in readable form: a size, a time, a path. */
export function formatFinding({ check, value }: DoctorFinding): string {
  if (value === null) return check === 'key' ? t('kept by the system or the environment') : t('none')
  if (typeof value === 'string') {
    if (check === 'backup') return formatExact(Date.parse(value))
    return check === 'secrets' ? t(SECRETS_WORDS[value] ?? '') : value
  }
  if (check === 'queue') return t('{{runs}} waiting', { runs: plural(value, 'run') })
  if (check === 'clock')
    return Math.abs(value) < 1_000
      ? t('not moved since the start')
      : t('moved by {{time}}', { time: formatDuration(Math.abs(value)) })
  if (check === 'port') return t('answers in {{time}}', { time: formatDuration(value) })
  return check === 'disk' ? t('{{bytes}} free', { bytes: formatBytes(value) }) : formatBytes(value)
}

const SECRETS_WORDS: Readonly<Record<string, English>> = {
  readable: english('all can be read'),
  needs_key: english('not all can be read'),
  locked: english('none can be read'),
}

export const STATE_WORDS: { readonly [S in DoctorFinding['state']]: English } = {
  ok: english('Good'),
  warning: english('Look at this'),
  problem: english('Problem'),
}

/** For a message to somebody who helps: one line per check. */
export function examinationText({ findings, examined_at: at }: Examination): string {
  const lines = findings.map((finding) => {
    const words = finding.reason === null ? null : REASONS[finding.reason]
    const text = `${t(STATE_WORDS[finding.state])} · ${t(CHECK_NAMES[finding.check])}: ${formatFinding(finding)}`
    return words === null
      ? text
      : `${text}. ${t(words.what)}${words.advice === null ? '' : ` ${t(words.advice)}`}`
  })
  return [formatExact(Date.parse(at)), ...lines].join('\n')
}
