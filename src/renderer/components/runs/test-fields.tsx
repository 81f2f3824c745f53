/** The fields of a test: its comparisons, allowed differences and simulated faults. */
import { Plus, X } from '../../lib/icons.tsx'
import { useState } from 'react'
import {
  type Expectation,
  FAULTS,
  type FlowTest,
  type FlowTestCall,
  type HttpTestCall,
} from '../../../shared/contract/flow-tests.ts'
import type { Json } from '../../../shared/contract/base/common.ts'
import { t } from '../../lib/i18n.ts'
import { JsonField } from '../code/json-field.tsx'
import { Button, IconButton } from '../controls/button.tsx'
import { Field, TextArea, TextInput } from '../controls/field.tsx'
import { Select } from '../controls/select.tsx'

const WAYS = ['exact', 'subset', 'schema', 'template', 'none'] as const
type Way = (typeof WAYS)[number]

interface FieldsProps {
  readonly test: FlowTest
  readonly onChange: (test: FlowTest) => void
}

/** The response and the results of steps, each compared in one way or not at all. */
export function ComparedFields({ test, onChange, given }: FieldsProps & { readonly given: FlowTest }) {
  const { expect } = test
  const { response } = expect
  const setResults = (results: FlowTest['expect']['results']) =>
    onChange({ ...test, expect: { ...expect, results } })
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="pb-1 font-semibold">{t('Compared parts')}</legend>
      {given.expect.response?.body === undefined ? null : (
        <Compared
          label={t('Response')}
          isStep={false}
          given={given.expect.response.body}
          value={response?.body}
          onChange={(body) => {
            const { response: _, ...rest } = expect
            const kept = given.expect.response
            onChange({
              ...test,
              expect: body === undefined || !kept ? rest : { ...expect, response: { ...kept, body } },
            })
          }}
        />
      )}
      {Object.entries(given.expect.results).map(([ref, known]) => (
        <Compared
          key={ref}
          label={ref}
          isStep
          given={known}
          value={expect.results[ref]}
          onChange={(next) => {
            const { [ref]: _, ...others } = expect.results
            setResults(next === undefined ? others : { ...others, [ref]: next })
          }}
        />
      ))}
    </fieldset>
  )
}

interface ComparedProps {
  readonly label: string
  readonly isStep: boolean
  /** The expectation when the form opened; another kind of comparison starts with its value. */
  readonly given: Expectation
  /** Undefined if it isn't compared. */
  readonly value: Expectation | undefined
  readonly onChange: (value: Expectation | undefined) => void
}

function Compared({ label, isStep, given, value, onChange }: ComparedProps) {
  const way = wayOf(value)
  const known = 'exact' in given ? given.exact : 'subset' in given ? given.subset : null
  const labels: Readonly<Record<Way, string>> = {
    exact: t('Exactly'),
    subset: t('Only these members'),
    schema: t('JSON Schema'),
    template: t('Condition'),
    none: t('Not compared'),
  }
  return (
    <div className="flex flex-col gap-1">
      <Field label={isStep ? <code className="font-mono">{label}</code> : label}>
        <Select
          value={way}
          options={WAYS.map((one) => ({ value: one, label: labels[one] }))}
          onChange={(next) => onChange(way === next ? value : startOf(next, known))}
        />
      </Field>
      {value === undefined ? null : 'template' in value ? (
        <TextInput
          mono
          aria-label={t('Condition for {{name}}', { name: label })}
          value={value.template}
          onChange={(template) => onChange({ template })}
        />
      ) : (
        <JsonField
          label={t('Expected value of {{name}}', { name: label })}
          value={'exact' in value ? value.exact : 'subset' in value ? value.subset : value.schema}
          onChange={(next) => onChange({ [way]: next } as unknown as Expectation)}
        />
      )}
    </div>
  )
}

function wayOf(value: Expectation | undefined): Way {
  return value === undefined ? 'none' : (WAYS.find((way) => way in value) ?? 'exact')
}

function startOf(way: Way, known: Json): Expectation | undefined {
  if (way === 'none') return undefined
  if (way === 'template') return { template: '{{ value }}' }
  if (way === 'schema') return { schema: { type: typeOf(known) } }
  return { [way]: known } as unknown as Expectation
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

/** One path per line. */
export function IgnoredField({ test, onChange }: FieldsProps) {
  const [text, setText] = useState(test.ignore.join('\n'))
  return (
    <Field
      label={t('Parts of requests that may differ')}
      optional
      hint={t('One per line, such as headers.x-request-time or body.items[*].at')}
    >
      <TextArea
        mono
        value={text}
        onChange={(next) => {
          setText(next)
          const ignore = next.split('\n').map((line) => line.trim())
          onChange({ ...test, ignore: ignore.filter((line) => line !== '') })
        }}
      />
    </Field>
  )
}

/** Faults in calls that would otherwise succeed. */
export function FaultFields({ test, onChange }: FieldsProps) {
  const calls = test.calls.flatMap((call, at) => (call.type === 'http' ? [{ at, call }] : []))
  if (calls.length === 0) return null
  const faults = calls.filter(({ call }) => call.fault !== undefined)
  const free = calls.find(({ call }) => call.fault === undefined)
  const change = (changes: ReadonlyMap<number, HttpTestCall['fault']>) =>
    onChange({
      ...test,
      calls: test.calls.map((call, at): FlowTestCall => {
        if (call.type === 'step' || !changes.has(at)) return call
        const { fault: _, ...rest } = call
        const fault = changes.get(at)
        return fault === undefined ? rest : { ...rest, fault }
      }),
    })
  const options = calls
    .slice(0, MOST_OFFERED)
    .map(({ at, call }) => ({ value: String(at), label: nameOf(call, at) }))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 font-semibold">{t('Faults')}</legend>
      <p className="text-muted">
        {t('Calls that go wrong in this test, so you can see how the flow handles them.')}
      </p>
      {faults.map(({ at, call }) => (
        <Fault
          key={at}
          name={nameOf(call, at)}
          at={at}
          fault={call.fault as NonNullable<HttpTestCall['fault']>}
          options={options}
          onMove={(to) =>
            change(
              new Map([
                [at, undefined],
                [to, call.fault],
              ]),
            )
          }
          onChange={(fault) => change(new Map([[at, fault]]))}
        />
      ))}
      {free === undefined ? null : (
        <div>
          <Button icon={Plus} onClick={() => change(new Map([[free.at, FIRST_FAULT]]))}>
            {t('Add fault')}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

const FIRST_FAULT = { kind: 'status', status: 429, times: 2, headers: {} } as const
/** Nobody could look through a longer list; the test's file has all calls. */
const MOST_OFFERED = 300

interface FaultProps {
  readonly name: string
  readonly at: number
  readonly fault: NonNullable<HttpTestCall['fault']>
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onMove: (at: number) => void
  readonly onChange: (fault: HttpTestCall['fault']) => void
}

function Fault({ name, at, fault, options, onMove, onChange }: FaultProps) {
  const kinds: Readonly<Record<(typeof FAULTS)[number], string>> = {
    status: t('Status before the response'),
    reset: t('Connection breaks'),
    timeout: t('No response in time'),
    empty: t('Empty lists'),
  }
  const whole = (text: string, least: number) => Math.max(least, Math.trunc(Number(text)) || least)
  return (
    <div role="group" aria-label={name} className="flex flex-wrap items-center gap-2">
      <Select
        label={t('Call')}
        className="w-64"
        value={String(at)}
        options={options}
        onChange={(to) => Number(to) === at || onMove(Number(to))}
      />
      <Select
        label={t('Fault')}
        className="w-52"
        value={fault.kind}
        options={FAULTS.map((kind) => ({ value: kind, label: kinds[kind] }))}
        onChange={(kind) => onChange({ ...fault, kind })}
      />
      {fault.kind === 'status' ? (
        <>
          <TextInput
            inputMode="numeric"
            aria-label={t('Status')}
            className="w-16"
            value={String(fault.status)}
            onChange={(text) => onChange({ ...fault, status: whole(text, 0) })}
          />
          <span aria-hidden>×</span>
          <TextInput
            inputMode="numeric"
            aria-label={t('Times')}
            className="w-14"
            value={String(fault.times)}
            onChange={(text) => onChange({ ...fault, times: whole(text, 1) })}
          />
        </>
      ) : null}
      <IconButton label={t('Remove fault')} icon={X} onClick={() => onChange(undefined)} />
    </div>
  )
}

function nameOf({ step, iteration, request }: HttpTestCall, at: number): string {
  const { pathname, search } = URL.canParse(request.url)
    ? new URL(request.url)
    : { pathname: request.url, search: '' }
  const turn = iteration === undefined ? '' : ` [${iteration.join(', ')}]`
  return `${at + 1}. ${step}${turn} · ${request.method} ${pathname}${search}`
}
