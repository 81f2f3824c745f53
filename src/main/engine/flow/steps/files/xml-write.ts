import { say } from '../../../../../shared/contract/base/message.ts'
import { writeXml, XmlWriteError } from '@millrace/jinja/xml'
import type { StepRunner } from '../../model/compiled-step.ts'

export const xmlWrite: StepRunner<'xml_write'> = {
  outside: false,
  run({ config }, scope) {
    const value = scope.evaluate('config.value', config.value)
    scope.showInput(value)
    try {
      return writeXml(value, { indent: config.indent, declaration: config.declaration })
    } catch (error) {
      if (!(error instanceof XmlWriteError)) throw error
      throw scope.fail('validation', say('"value" can\'t be written. {{reason}}', { reason: error.said }), {
        field: 'config.value',
      })
    }
  },
}
