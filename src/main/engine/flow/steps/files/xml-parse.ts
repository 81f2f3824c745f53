import { decodeXml, parseXml } from '@millrace/jinja/xml'
import { asTextFailure, readText } from '../support/read-text.ts'
import type { StepRunner } from '../../model/compiled-step.ts'

/**
 * Parses XML to an object: attributes under `@name`, text next to elements under `#text`, repeated elements as a list.
 */
export const xmlParse: StepRunner<'xml_parse'> = {
  outside: false,
  run({ config }, scope) {
    const text = readText(config, scope, ({ content, contentType }) =>
      decodeXml(content, /;\s*charset="?([\w.-]{1,40})/i.exec(contentType)?.[1] ?? null),
    )
    scope.showInput(text)
    try {
      return parseXml(text)
    } catch (error) {
      throw asTextFailure(error, config, scope)
    }
  },
}
