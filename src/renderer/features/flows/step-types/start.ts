import { CalendarClock, Webhook } from 'lucide-react'
import { english, t } from '../../../lib/i18n.ts'
import { describeSchedule } from '../describe-schedule.ts'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Faces of the steps that start a flow. */
export const START_FACES = {
  webhook: {
    label: english('Webhook'),
    icon: Webhook,
    group: 'start',
    purpose: english('Starts the flow by an HTTP request and answers it'),
    words: 'http trigger receive',
    refId: 'web1',
    config: {},
    sample: { config: { response_body: '{"received": {{ web1 | length }}}' } },
    summary: (config) =>
      config.async === true
        ? t('answers at once, runs after')
        : t('answers {{status}}', { status: shown(config.response_status_code, '200') }),
  },
  schedule: {
    label: english('Schedule'),
    icon: CalendarClock,
    group: 'start',
    purpose: english('Starts the flow at its times'),
    words: 'cron timer trigger daily',
    refId: 'schedule',
    config: { interval: 'daily', at: '09:00' },
    sample: { config: { interval: 'weekly', at: '09:00', weekdays: ['monday'] } },
    summary: describeSchedule,
  },
} as const satisfies Readonly<Record<string, StepFace>>
