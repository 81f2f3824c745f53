import { nearest, say, type Said } from '../../../../shared/contract/base/message.ts'
import { got, mustBe } from '../../../../shared/contract/base/validate.ts'
import { PAGINATION_METHODS } from '../../../../shared/contract/base/http-methods.ts'
import { isOrigin } from '../../../../shared/contract/base/common.ts'
import {
  type PaginationConfigEntry,
  RESPONSE_FORMATS,
} from '../../../../shared/contract/base/pagination-config.ts'
import { delimiterNamed } from '@millrace/jinja/csv'
import { type Data, isDictionary, isList } from '@millrace/jinja/data'

/** The problem with a key or its value, as the end of a sentence that begins with the key; null if there is none. */
export function problemWithKey(key: string, value: Data): Said | null {
  if (!Object.hasOwn(KEYS, key)) return unknownKey(key)
  const problem = KEYS[key as keyof PaginationConfigEntry](value)
  return problem?.key.startsWith('must be ') ? got(problem, value) : problem
}

type CheckValue = (value: Data) => Said | null

const isText: CheckValue = (value) => (typeof value === 'string' ? null : say('must be a string'))
const isFlag: CheckValue = (value) => (typeof value === 'boolean' ? null : say('must be true or false'))
const isTemplateDictionary: CheckValue = (value) =>
  typeof value === 'string' || isDictionary(value)
    ? null
    : say('must be an object, or a string that contains one')

/** Typed by the contract, so that a new key doesn't compile until it is checked here. */
const KEYS: { readonly [K in keyof PaginationConfigEntry]-?: CheckValue } = {
  query: isTemplateDictionary,
  body: isTemplateDictionary,
  raw_body: isText,
  header: isTemplateDictionary,
  response_jsonpath: isText,
  response_format: (value) =>
    RESPONSE_FORMATS.some((format) => format === value) ? null : mustBe(RESPONSE_FORMATS, value),
  delimiter: (value) =>
    typeof value === 'string' && delimiterNamed(value) !== null
      ? null
      : say('must be one character other than a quote, such as ; or tab'),
  endpoint: isText,
  replace_body: isFlag,
  when: isText,
  stop_when: isText,
  retry_when: isText,
  method: (value) =>
    typeof value === 'string' && METHODS.has(value) ? null : mustBe(PAGINATION_METHODS, value),
  max_pages: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1
      ? null
      : say('must be a whole number, 1 or more'),
  allowed_origins: (value) =>
    isList(value) && value.every((origin) => typeof origin === 'string' && isOrigin(origin.trim()))
      ? null
      : say('must be a list of origins such as "https://files.example.com"'),
  first_request: isFlag,
  dedupe_by: isText,
  ends_on_status: (value) =>
    isList(value) && value.length <= 20 && value.every((status) => isWhole(status, 300, 599))
      ? null
      : say('must be a list of up to 20 statuses from 300 to 599, such as [404, 416]'),
  cursor_may_be_absent: isFlag,
  list_may_be_absent: isFlag,
  min_interval_ms: (value) =>
    typeof value === 'number' && value >= 0 && value <= 600_000
      ? null
      : say('must be a number of milliseconds from 0 to 600000'),
}

function isWhole(value: Data, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}

const METHODS: ReadonlySet<string> = new Set(PAGINATION_METHODS)

function unknownKey(key: string): Said {
  const known = Object.keys(KEYS)
  const alike = known.find(
    (name) => name.replaceAll('_', '') === key.toLowerCase().replaceAll(/[_-]|s$/g, ''),
  )
  const [near, other] = alike === undefined ? nearest(key, known) : [alike]
  if (near === undefined)
    return say("isn't a configuration key; the keys are {{known}}", { known: known.join(', ') })
  return other === undefined
    ? say('is unknown; did you mean "{{near}}"?', { near })
    : say('is unknown; did you mean "{{near}}" or "{{other}}"?', { near, other })
}
