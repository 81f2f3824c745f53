import { expect, test } from 'vitest'
import { SAID, say, spoken, withoutSaid, withSaid } from '../../../../src/shared/contract/base/message.ts'
import { createRedactor } from '../../../../src/main/engine/redaction/redactor.ts'
import { redactSpoken } from '../../../../src/main/engine/redaction/redacted-value.ts'

test('the English text is the key with its values; what shows how a template is written stays', () => {
  const why = say('must be {{expected}}', { expected: say('a list') })
  expect(String(say('Line {{line}}: {{why}}', { line: 3, why }))).toBe('Line 3: must be a list')
  expect(String(say('write {{ its_name }}'))).toBe('write {{ its_name }}')
  expect(String(say('{{a}} and {{b}}', { a: '{{b}}', b: '$&' }))).toBe('{{b}} and $&')
})

test('key and values are ordinary members for the page alone', () => {
  const run = {
    error: spoken(say('There is no flow "{{id}}"', { id: '7' })),
    warnings: [{ message: 'as written' }],
  }
  const shown = withSaid(run)
  expect(JSON.stringify(run)).toBe(
    '{"error":{"message":"There is no flow \\"7\\""},"warnings":[{"message":"as written"}]}',
  )
  expect(JSON.parse(JSON.stringify(shown.error))).toEqual({
    message: 'There is no flow "7"',
    said: { key: 'There is no flow "{{id}}"', params: { id: '7' } },
  })
  expect(shown.warnings).toBe(run.warnings)
  expect(withoutSaid(JSON.parse(JSON.stringify(shown.error)) as object)).toMatchObject({
    [SAID]: { key: 'There is no flow "{{id}}"', params: { id: '7' } },
  })
})

test('a secret in a value is hidden, and one that begins in a value takes key and values along', () => {
  const redactor = createRedactor({ secrets: ['a-secret-of-yours', '123456789012', 'mine: it ends here'] })
  const redacted = (value: string | number) =>
    redactSpoken(spoken(say('{{value}}: it ends here', { value })), redactor)
  expect(redacted('a-secret-of-yours')[SAID]).toEqual({
    key: '{{value}}: it ends here',
    params: { value: '***' },
  })
  expect(redacted(123_456_789_012)[SAID]?.params).toEqual({ value: '***' })
  const { message, [SAID]: said } = redacted('not mine')
  expect({ message, said }).toEqual({ message: 'not ***', said: undefined })
})
