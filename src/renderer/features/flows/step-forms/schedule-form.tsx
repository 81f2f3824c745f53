import { SCHEDULE_INTERVALS, WEEKDAYS } from '../../../../shared/contract/step-types/triggers/schedule.ts'
import { Combo } from '../../../components/controls/combo.tsx'
import { Field, TextInput } from '../../../components/controls/field.tsx'
import { cx } from '../../../lib/cx.ts'
import { formatWeekday } from '../../../lib/format.ts'
import { t, translateMessage } from '../../../lib/i18n.ts'
import { FormFields, frameOf } from '../fields/form-fields.tsx'
import { asTemplate, orAbsent } from '../fields/form-props.ts'
import type { StepFormProps } from '../fields/form-props.ts'
import { NextTimes, useSchedulePreview } from './next-times.tsx'

type Interval = (typeof SCHEDULE_INTERVALS)[number]
type Weekday = (typeof WEEKDAYS)[number]

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

export function ScheduleForm(props: StepFormProps) {
  const { config, onChange, errorOf: refused } = props
  const preview = useSchedulePreview(config)
  const errorOf = (name: string) => {
    const problem = preview?.problems.find(({ field }) => field === name)
    return problem === undefined ? refused(name) : translateMessage(problem.message, problem)
  }
  const form = { ...props, errorOf }
  const interval = SCHEDULE_INTERVALS.find((known) => known === config.interval) ?? 'daily'
  const isMonthly = interval === 'monthly'
  return (
    <>
      <FormFields
        {...form}
        only={['interval']}
        onChange={(chosen) =>
          onChange({
            at: undefined,
            weekdays: undefined,
            minutes: undefined,
            cron: undefined,
            ...chosen,
            ...BEGINNINGS[SCHEDULE_INTERVALS.find((one) => one === chosen['interval']) ?? 'daily'],
          })
        }
      />
      {interval === 'weekly' ? (
        <Weekdays
          value={config.weekdays}
          {...frameOf(form, 'weekdays')}
          onChange={(weekdays) => onChange({ weekdays })}
        />
      ) : null}
      {interval === 'daily' || interval === 'weekly' || isMonthly || interval === 'once' ? (
        <Field
          {...frameOf(form, 'at')}
          className="max-w-60"
          {...(isMonthly
            ? {
                hint: t(
                  'Runs on the day of the month in “Not before”, or on the last day of shorter months.',
                ),
              }
            : {})}
        >
          <TextInput
            type={interval === 'once' ? 'datetime-local' : 'time'}
            value={asTemplate(config.at)}
            onChange={(at) => onChange({ at: orAbsent(at) })}
          />
        </Field>
      ) : null}
      {interval === 'custom' ? <FormFields {...form} only={['minutes']} /> : null}
      {interval === 'cron' ? <FormFields {...form} only={['cron']} /> : null}
      <div className="grid max-w-2xl grid-cols-2 gap-3">
        <FormFields {...form} only={['start', 'end']} onChange={(bound) => onChange(trimmed(bound))} />
      </div>
      <Field {...frameOf(form, 'timezone')} className="max-w-80">
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
      <FormFields {...form} only={['missed']} />
    </>
  )
}

function trimmed(patch: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(patch).map(([name, value]) => [name, orAbsent(asTemplate(value).trim())]),
  )
}

interface WeekdaysProps {
  readonly label: string
  readonly value: unknown
  readonly error: string | undefined
  readonly onChange: (days: Weekday[]) => void
}

function Weekdays({ label, value, error, onChange }: WeekdaysProps) {
  const chosen = WEEKDAYS.filter((day) => Array.isArray(value) && value.includes(day))
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">{label}</legend>
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
              'aria-pressed:border-second aria-pressed:bg-selected aria-pressed:text-text',
            )}
          >
            {formatWeekday(day, 'long')}
          </button>
        ))}
      </div>
      {error === undefined ? null : <p className="text-error">{error}</p>}
    </fieldset>
  )
}
