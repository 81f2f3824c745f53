import { SCHEDULE_INTERVALS, WEEKDAYS } from '../../../../../shared/contract/step-configs/triggers.ts'
import { Combo } from '../../../../components/controls/combo.tsx'
import { Field, TextInput } from '../../../../components/controls/field.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { cx } from '../../../../lib/cx.ts'
import { formatWeekday } from '../../../../lib/format.ts'
import { english, t, translateMessage } from '../../../../lib/i18n.ts'
import type { English } from '../../../../lib/i18n.ts'
import { asTemplate, orAbsent } from '../../fields/form-props.ts'
import type { StepFormProps } from '../../fields/form-props.ts'
import { NextTimes, useSchedulePreview } from './next-times.tsx'

type Interval = (typeof SCHEDULE_INTERVALS)[number]
type Weekday = (typeof WEEKDAYS)[number]

const INTERVALS: { readonly [I in Interval]: English } = {
  '5m': english('Every 5 minutes'),
  '15m': english('Every 15 minutes'),
  '1h': english('Every hour'),
  daily: english('Every day'),
  weekly: english('Every week'),
  monthly: english('Every month'),
  once: english('Once'),
  custom: english('Custom interval (minutes)'),
  cron: english('Cron'),
}

/** The initial values after a change of the interval; fields of the other intervals are removed. */
const BEGINNINGS: { readonly [I in Interval]: Readonly<Record<string, unknown>> } = {
  '5m': {},
  '15m': {},
  '1h': {},
  daily: { at: '09:00' },
  weekly: { at: '09:00', weekdays: ['monday'] },
  monthly: { at: '09:00' },
  once: { at: '' },
  custom: { minutes: 30 },
  cron: { cron: '0 9 * * mon-fri' },
}

const MACHINE = ''

export function ScheduleForm({ config, onChange, errorOf: refused }: StepFormProps) {
  const preview = useSchedulePreview(config)
  const errorOf = (name: string) => {
    const problem = preview?.problems.find(({ field }) => field === name)
    return problem === undefined ? refused(name) : translateMessage(problem.message)
  }
  const interval = SCHEDULE_INTERVALS.find((known) => known === config.interval) ?? 'daily'
  const hasTime = interval === 'daily' || interval === 'weekly' || interval === 'monthly'
  return (
    <>
      <Field label={t('Runs')} className="max-w-80" error={errorOf('interval')}>
        <Select
          value={interval}
          onChange={(next) =>
            onChange({
              at: undefined,
              weekdays: undefined,
              minutes: undefined,
              cron: undefined,
              interval: next,
              ...BEGINNINGS[next],
            })
          }
          options={SCHEDULE_INTERVALS.map((value) => ({ value, label: t(INTERVALS[value]) }))}
        />
      </Field>
      {interval === 'weekly' ? (
        <Weekdays
          value={config.weekdays}
          error={errorOf('weekdays')}
          onChange={(weekdays) => onChange({ weekdays })}
        />
      ) : null}
      {hasTime ? (
        <Field
          label={t('At')}
          className="max-w-60"
          error={errorOf('at')}
          {...(interval === 'monthly'
            ? { hint: t('On the day of the month of “Not before”, or on the last day of shorter months.') }
            : {})}
        >
          <TextInput
            type="time"
            value={asTemplate(config.at)}
            onChange={(at) => onChange({ at: orAbsent(at) })}
          />
        </Field>
      ) : null}
      {interval === 'once' ? (
        <Field label={t('At')} className="max-w-80" error={errorOf('at')}>
          <TextInput
            type="datetime-local"
            value={asTemplate(config.at)}
            onChange={(at) => onChange({ at: orAbsent(at) })}
          />
        </Field>
      ) : null}
      {interval === 'custom' ? (
        <Field label={t('Interval (minutes)')} className="max-w-60" error={errorOf('minutes')}>
          <TextInput
            inputMode="numeric"
            value={asTemplate(config.minutes)}
            onChange={(text) => onChange({ minutes: /^\d{1,9}$/.test(text) ? Number(text) : orAbsent(text) })}
          />
        </Field>
      ) : null}
      {interval === 'cron' ? (
        <Field
          label={t('Cron expression')}
          className="max-w-80"
          hint={t(
            'Minute, hour, day of month, month, day of week. With six fields, the first one is seconds.',
          )}
          error={errorOf('cron')}
        >
          <TextInput
            mono
            value={asTemplate(config.cron)}
            placeholder="0 9 * * mon-fri"
            onChange={(cron) => onChange({ cron: orAbsent(cron) })}
          />
        </Field>
      ) : null}
      <div className="grid max-w-2xl grid-cols-2 gap-3">
        <Bound label={t('Not before')} name="start" config={config} onChange={onChange} errorOf={errorOf} />
        <Bound label={t('Not after')} name="end" config={config} onChange={onChange} errorOf={errorOf} />
      </div>
      <Field label={t('Time zone')} className="max-w-80" error={errorOf('timezone')}>
        <Combo
          value={asTemplate(config.timezone)}
          placeholder={t('Choose a time zone')}
          onChange={(timezone) => onChange({ timezone: timezone === MACHINE ? null : timezone })}
          options={[
            { value: MACHINE, label: t('System time zone') },
            ...Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone })),
          ]}
        />
      </Field>
      <NextTimes config={config} preview={preview} />
      <Field
        label={t('Missed runs')}
        className="max-w-80"
        hint={t('Because the computer was asleep or Millrace was closed.')}
        error={errorOf('missed')}
      >
        <Select
          value={config.missed === 'skip' ? 'skip' : 'run_once'}
          onChange={(missed) => onChange({ missed })}
          options={[
            { value: 'run_once', label: t('Run once as soon as possible') },
            { value: 'skip', label: t('Skip') },
          ]}
        />
      </Field>
    </>
  )
}

type BoundProps = Pick<StepFormProps, 'config' | 'onChange' | 'errorOf'> & {
  readonly label: string
  readonly name: 'start' | 'end'
}

function Bound({ label, name, config, onChange, errorOf }: BoundProps) {
  return (
    <Field label={label} optional error={errorOf(name)}>
      <TextInput
        mono
        placeholder="2027-01-31"
        value={asTemplate(config[name])}
        onChange={(text) => onChange({ [name]: orAbsent(text.trim()) })}
      />
    </Field>
  )
}

interface WeekdaysProps {
  readonly value: unknown
  readonly error: string | undefined
  readonly onChange: (days: Weekday[]) => void
}

function Weekdays({ value, error, onChange }: WeekdaysProps) {
  const chosen = WEEKDAYS.filter((day) => Array.isArray(value) && value.includes(day))
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{t('Days of the week')}</legend>
      <div className="flex flex-wrap gap-1">
        {WEEKDAYS.map((day) => (
          <button
            key={day}
            type="button"
            aria-pressed={chosen.includes(day)}
            onClick={() =>
              onChange(WEEKDAYS.filter((one) => (one === day ? !chosen.includes(day) : chosen.includes(one))))
            }
            className={cx(
              'h-7 rounded border border-line-control/60 px-2.5 text-sm hover:bg-hover',
              'aria-pressed:border-accent aria-pressed:bg-selected aria-pressed:text-accent-text',
            )}
          >
            {formatWeekday(day, 'long')}
          </button>
        ))}
      </div>
      {error === undefined ? null : <p className="text-sm text-error">{error}</p>}
    </fieldset>
  )
}
