import { CalendarClock, Webhook } from 'lucide-react'
import { describeSchedule } from '../describe-schedule.ts'
import { shown } from './face.ts'
import type { StepFace } from './face.ts'

/** Faces of the steps that start a flow. */
export const START_FACES = {
  webhook: {
    label: 'Webhook',
    icon: Webhook,
    group: 'start',
    purpose: 'Starts the flow by an HTTP request and answers it',
    words: 'http trigger receive',
    refId: 'web1',
    config: {},
    sample: { config: { response_body: '{"received": {{ web1 | length }}}' } },
    summary: (config) =>
      config.async === true
        ? 'answers at once, runs after'
        : `answers ${shown(config.response_status_code, '200')}`,
  },
  schedule: {
    label: 'Schedule',
    icon: CalendarClock,
    group: 'start',
    purpose: 'Starts the flow at its times',
    words: 'cron timer trigger daily',
    refId: 'schedule',
    config: { interval: 'daily', at: '09:00' },
    sample: { config: { interval: 'weekly', at: '09:00', weekdays: ['monday'] } },
    summary: describeSchedule,
  },
} as const satisfies Readonly<Record<string, StepFace>>
