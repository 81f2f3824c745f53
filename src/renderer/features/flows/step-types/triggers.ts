import {
  CalendarClock,
  ClipboardList,
  DatabaseZap,
  FolderInput,
  Inbox,
  Rss,
  Webhook,
} from '../../../lib/icons.tsx'
import { WEEKDAYS } from '../../../../shared/contract/step-configs/triggers.ts'
import { formatWeekday, plural } from '../../../lib/format.ts'
import { english, t } from '../../../lib/i18n.ts'
import { shown, type StepFace } from './face.ts'

/** Steps that start a flow. */
export const TRIGGER_FACES = {
  webhook: {
    label: english('Webhook'),
    icon: Webhook,
    group: 'triggers',
    purpose: english('Starts the flow when an HTTP request arrives'),
    words: english('http trigger receive incoming request callback url'),
    refId: 'web1',
    config: {},
    sample: { config: { response_body: '{"received": {{ web1 | length }}}' } },
    summary: (config) =>
      config.async === true
        ? t('responds immediately')
        : t('responds with {{status}}', { status: shown(config.response_status_code, '200') }),
  },
  schedule: {
    label: english('Schedule'),
    icon: CalendarClock,
    group: 'triggers',
    purpose: english('Starts the flow on a schedule'),
    words: english('cron timer trigger daily every day hour week month minutes morning night regularly'),
    refId: 'schedule',
    config: { interval: 'daily', at: '09:00' },
    sample: { config: { interval: 'weekly', at: '09:00', weekdays: ['monday'] } },
    summary: describeSchedule,
  },
  list_trigger: {
    label: english('New entries of a list'),
    icon: Rss,
    group: 'triggers',
    purpose: english('Starts the flow for every new record of a list, or article of a feed'),
    words: english(
      'poll rss atom feed every new order contact ticket record article changed updated watch trigger news',
    ),
    refId: 'entry',
    config: {},
    sample: {
      config: {
        source: 'feed',
        url: '{{ playground_url }}/feed',
        every_minutes: 15,
        first: 'newest',
        newest: 1,
      },
    },
    summary: (config) => {
      const what =
        config.source === 'feed'
          ? shown(config.url, t('no URL yet'))
          : shown(config.action, t('choose an action'))
      return t('{{what}}, every {{minutes}} minutes', { what, minutes: shown(config.every_minutes, '15') })
    },
  },
  folder_trigger: {
    label: english('Files of a folder'),
    icon: FolderInput,
    group: 'triggers',
    purpose: english('Starts the flow for new, changed or removed files of a folder'),
    words: english('new file every watch directory inbox download scan appears arrives added trigger'),
    refId: 'found_file',
    config: {},
    sample: { config: { path: 'inbox', pattern: '*.csv' } },
    summary: (config) => `${shown(config.path, t('no path yet'))} ${shown(config.pattern, '*')}`,
  },
  sql_trigger: {
    label: english('Rows of a table'),
    icon: DatabaseZap,
    group: 'triggers',
    purpose: english('Starts the flow for new or changed rows of SQLite, PostgreSQL or MySQL'),
    words: english(
      'new row every record changed updated poll database sql postgresql mariadb watch trigger table',
    ),
    refId: 'row',
    config: {},
    sample: { config: { file: 'shop.db', table: 'orders', key: ['id'], cursor_field: 'updated_at' } },
    summary: (config) =>
      t('{{what}}, every {{minutes}} minutes', {
        what: shown(config.table, shown(config.statement, t('no table yet'))),
        minutes: shown(config.every_minutes, '15'),
      }),
  },
  form_trigger: {
    label: english('Form'),
    icon: ClipboardList,
    group: 'triggers',
    purpose: english('Starts the flow when somebody fills in a form on a web page'),
    words: english('page survey contact request ask fields input person submit answer html trigger'),
    refId: 'form',
    config: {},
    sample: {
      config: {
        fields: [
          { name: 'email', type: 'email', required: true },
          { name: 'message', type: 'textarea', required: true },
        ],
      },
    },
    summary: (config) =>
      shown(config.title, plural(Array.isArray(config.fields) ? config.fields.length : 0, 'field')),
  },
  imap_trigger: {
    label: english('Emails of a mailbox'),
    icon: Inbox,
    group: 'triggers',
    purpose: english('Starts the flow for every new email'),
    words: english(
      'imap every new email inbox receive incoming arrives attachment gmail outlook watch trigger',
    ),
    refId: 'email',
    config: {},
    sample: {
      config: { auth_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7', mailbox: 'INBOX', subject: 'invoice' },
    },
    summary: (config) => shown(config.mailbox, 'INBOX'),
  },
} as const satisfies Readonly<Record<string, StepFace>>

function describeSchedule(config: Readonly<Record<string, unknown>>): string {
  const { interval, minutes, cron, at, weekdays } = config
  const time = typeof at === 'string' && at !== '' ? at : null
  switch (interval) {
    case '5m':
      return t('every 5 minutes')
    case '15m':
      return t('every 15 minutes')
    case '1h':
      return t('every hour')
    case 'daily':
      return time === null ? t('every day') : t('every day at {{time}}', { time })
    case 'weekly': {
      const known = Array.isArray(weekdays) ? WEEKDAYS.filter((day) => weekdays.includes(day)) : []
      const days = known.map((day) => formatWeekday(day, 'short')).join(', ')
      if (days === '') return time === null ? t('every week') : t('every week at {{time}}', { time })
      return time === null ? t('every {{days}}', { days }) : t('every {{days}} at {{time}}', { days, time })
    }
    case 'monthly':
      return time === null ? t('every month') : t('every month at {{time}}', { time })
    case 'once':
      return time === null
        ? t('once, no time yet')
        : t('once, {{moment}}', { moment: time.replace('T', ' ') })
    case 'custom':
      return typeof minutes === 'number' ? t('every {{minutes}} minutes', { minutes }) : t('no interval yet')
    case 'cron':
      return typeof cron === 'string' && cron !== '' ? cron : t('no cron expression yet')
    default:
      return t('no interval yet')
  }
}
