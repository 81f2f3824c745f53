import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import { type Data, dictionaryOf } from '@millrace/jinja/data'
import { valueText } from '../../../request/query-string.ts'
import type { StepRunner, StepScope } from '../../model/compiled-step.ts'
import { atField, readPath } from '../support/read-input.ts'

/** Writes a local file, replacing it or appending to it. */
export const fileWrite: StepRunner<'file_write'> = {
  outside: true,
  async run({ config }, scope) {
    const path = readPath(config.path, scope)
    const content = scope.evaluate('config.content', config.content)
    scope.showInput(
      dictionaryOf([
        ['path', path],
        ['content', content],
      ]),
    )
    const bytes = encode(content, config.encoding, scope)
    const { append } = config
    const written = await atField(scope, 'config.path', scope.ports.folders.write(path, bytes, { append }))
    return dictionaryOf([
      ['path', written.path],
      ['size', written.size],
    ])
  },
}

function encode(content: Data, encoding: StepConfig<'file_write'>['encoding'], scope: StepScope): Uint8Array {
  const text = valueText(content)
  const bytes = Buffer.from(text, encoding)
  // Buffer silently stops decoding at the first invalid character.
  const isWhole =
    encoding === 'base64'
      ? /^[\w+/=\s-]*$/.test(text)
      : encoding === 'hex'
        ? /^([\da-f]{2})*$/i.test(text)
        : encoding !== 'latin1' || !/[\u0100-\uffff]/.test(text)
  if (isWhole) return bytes
  throw scope.fail(
    'validation',
    say('"content" can\'t be encoded as {{encoding}}; choose another encoding', { encoding }),
    {
      field: 'config.content',
    },
  )
}
