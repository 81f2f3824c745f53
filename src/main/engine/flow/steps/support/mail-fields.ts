import { say } from '../../../../../shared/contract/base/message.ts'
import { joinLines } from '../../../../../shared/trim.ts'
import { isList } from '@millrace/jinja/data'
import { valueText } from '../../../request/query-string.ts'
import type { StepScope } from '../../model/compiled-step.ts'
import { shortText } from './read-input.ts'

/** The sender, which defaults to the user name of the credentials. */
export function readFrom(config: { readonly from?: unknown }, username: string, scope: StepScope): string {
  const [from = username] = readAddresses('from', config.from, scope)
  if (from.includes('@')) return from
  throw scope.fail(
    'validation',
    say('"from" must be an email address such as me@example.com, got {{value}}', { value: shortText(from) }),
    {
      field: 'config.from',
    },
  )
}

/** Addresses can include a name: `Ada <ada@example.com>`. */
export function readAddresses(name: string, source: unknown, scope: StepScope): string[] {
  if (source === undefined || source === null || source === '') return []
  const field = `config.${name}`
  const value = scope.evaluate(field, source)
  const texts = isList(value) ? value.map(valueText) : splitAddresses(valueText(value))
  const addresses = texts.map((text) => text.trim()).filter((text) => text !== '')
  const wrong = addresses.find((address) => !/^[^\r\n]*[^\s@]@[^\s@]+$/.test(address.replace(/>$/, '')))
  if (wrong === undefined) return addresses
  throw scope.fail(
    'validation',
    say('"{{name}}" has {{value}}, which isn\'t an email address', { name, value: shortText(wrong) }),
    { field },
  )
}

/** Splits at commas and semicolons outside quotes. */
function splitAddresses(text: string): string[] {
  return text.match(/(?:"[^"]*"|[^,;"])+/g) ?? []
}

export const oneLine = joinLines
