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
  program: english('Millrace'),
  data_folder: english('Data folder'),
  database: english('Database'),
  log: english('Database log (WAL)'),
  key: english('Key file'),
  secrets: english('Secrets'),
  disk: english('Disk'),
  backup: english('Last backup'),
  queue: english('Queue'),
  clock: english('Clock'),
  port: english('Port'),
  exposure: english('Exposure'),
}

interface ReasonWords {
  readonly what: English
  /** What to do; null if nothing needs to be done. */
  readonly advice: English | null
}

export const REASONS: { readonly [R in DoctorReason]: ReasonWords } = {
  makes_code: {
    what: english('Started without --disallow-code-generation-from-strings, so eval is possible.'),
    advice: english(
      'Start Millrace with millrace start, npm start or its menu entry on Linux, which set the flag. The apps for macOS and Windows and the AppImage can set it only for the threads that run code.',
    ),
  },
  open_to_others: {
    what: english('Other users of this computer can open it.'),
    advice: english(
      'Restrict access: chmod 700 for a folder, chmod 600 for a file. On Windows, remove other users under Properties, Security.',
    ),
  },
  not_writable: {
    what: english('It isn’t writable.'),
    advice: english('Fix its permissions. Nothing can be stored until then.'),
  },
  damaged: {
    what: english('The database is damaged.'),
    advice: english('Stop Millrace and restore a backup with millrace restore FILE.'),
  },
  too_large_to_check: {
    what: english('Too large to check while in use.'),
    advice: english('millrace doctor checks it while Millrace isn’t running.'),
  },
  log_long: {
    what: english('The database log (WAL) hasn’t been merged into the database for a long time.'),
    advice: english('Close other programs that use the database, or restart Millrace.'),
  },
  key_missing: {
    what: english('The key file is missing. Secrets stay readable until Millrace stops.'),
    advice: english('Export the key now with millrace key export and keep it in a safe place.'),
  },
  needs_key: {
    what: english('Some secrets were encrypted with another key.'),
    advice: english('Import the key with millrace key import, or enter the secrets again.'),
  },
  locked: {
    what: english('Millrace has no key, so it can’t read or store secrets.'),
    advice: english('Set MILLRACE_MASTER_KEY, or provide a readable key file.'),
  },
  little_space: {
    what: english('The disk is almost full.'),
    advice: english('Free up disk space, or keep runs for fewer days.'),
  },
  no_backup: {
    what: english('There is no automatic backup yet.'),
    advice: english('One is created each day that Millrace runs.'),
  },
  backup_old: {
    what: english('The newest backup is older than three days.'),
    advice: english('Check that the backup folder is writable.'),
  },
  waiting_long: {
    what: english('A run has been waiting for more than ten minutes.'),
    advice: english(
      'Increase the number of concurrent runs in the settings, or look for a run that doesn’t finish.',
    ),
  },
  clock_moved: {
    what: english('The clock of this computer was changed while Millrace was running.'),
    advice: english('Check the system time. Schedules depend on it.'),
  },
  no_answer: {
    what: english('Millrace doesn’t respond at its own URL.'),
    advice: english('Check for a firewall or proxy, then restart Millrace.'),
  },
  api_exposed: {
    what: english('Requests through a proxy or tunnel can reach the whole API.'),
    advice: english('Turn this off in the settings if you only need webhooks.'),
  },
}

/** The finding in readable form: a size, a time, a path. */
export function formatFinding({ check, value }: DoctorFinding): string {
  if (value === null)
    return check === 'key' ? t('stored by the system or in an environment variable') : t('none')
  if (typeof value === 'string') {
    if (check === 'backup') return formatExact(Date.parse(value))
    return check === 'secrets' ? t(SECRETS_WORDS[value] ?? '') : value
  }
  if (check === 'queue') return t('{{runs}} waiting', { runs: plural(value, 'run') })
  if (check === 'clock')
    return Math.abs(value) < 1_000
      ? t('not changed since Millrace started')
      : t('changed by {{time}}', { time: formatDuration(Math.abs(value)) })
  if (check === 'port') return t('responds in {{time}}', { time: formatDuration(value) })
  return check === 'disk' ? t('{{bytes}} free', { bytes: formatBytes(value) }) : formatBytes(value)
}

const SECRETS_WORDS: Readonly<Record<string, English>> = {
  readable: english('all readable'),
  needs_key: english('not all readable'),
  locked: english('unreadable'),
}

export const STATE_WORDS: { readonly [S in DoctorFinding['state']]: English } = {
  ok: english('OK'),
  warning: english('Check this'),
  problem: english('Problem'),
}

/** The findings as text to include when asking for help, one line per check. */
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
