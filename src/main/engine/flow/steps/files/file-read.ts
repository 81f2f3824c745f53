import { say } from '../../../../../shared/contract/base/message.ts'
import { decodeFile, dictionaryOf } from '@millrace/jinja/data'
import type { StepRunner } from '../../model/compiled-step.ts'
import { atField, readPath } from '../support/read-input.ts'

/** Reads a local file as a string. */
export const fileRead: StepRunner<'file_read'> = {
  outside: false,
  async run({ config }, scope) {
    const path = readPath(config.path, scope)
    scope.showInput(dictionaryOf([['path', path]]))
    const content = Buffer.from(await atField(scope, 'config.path', scope.ports.folders.read(path)))
    const { encoding } = config
    if (encoding === 'base64' || encoding === 'hex' || encoding === 'latin1')
      return content.toString(encoding)
    try {
      return decodeFile(content, encoding)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw scope.fail(
        'validation',
        say('"{{path}}" isn\'t valid {{encoding}} text; choose its encoding, or base64 for binary files', {
          path,
          encoding,
        }),
        { field: 'config.encoding' },
      )
    }
  },
}
