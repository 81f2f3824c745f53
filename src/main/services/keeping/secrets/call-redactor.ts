import type { Connector } from '../../../../shared/contract/connectors.ts'
import { credentialHeaders, credentialParameter } from '../../../engine/connector/credentials.ts'
import type { OpenAuth } from '../../../engine/connector/open-auth.ts'
import { createRedactor, type Redactor } from '../../../engine/redaction/redactor.ts'

/**
 * Redacts the secrets in a connector's call: by value, and by the names of the headers and the parameter that the
 * connector uses for them, because a value can be too short to search for.
 *
 * @param secrets of the auth, and of env variables
 */
export function createCallRedactor(
  connector: Pick<Connector, 'header' | 'url_token_extension'>,
  auth: OpenAuth | null,
  secrets: readonly string[],
): Redactor {
  const { header } = connector
  const custom = Object.entries(header?.custom_headers ?? {}).filter(([, value]) => value.includes('{{'))
  const names = [...credentialHeaders(connector, auth), ...custom.map(([name]) => name)]
  const redactor = createRedactor({ secrets, names })
  const parameter = credentialParameter(connector, auth)
  return parameter === '' ? redactor : hidingParameter(redactor, parameter)
}

function hidingParameter(redactor: Redactor, parameter: string): Redactor {
  const hideValue = (pair: string) => {
    const cut = pair.indexOf('=')
    return cut > 0 && isNamed(pair.slice(1, cut), parameter) ? `${pair.slice(0, cut)}=***` : pair
  }
  return {
    ...redactor,
    redactText: (text) => redactor.redactText(text).replaceAll(/[?&][^\s&#"']*/g, hideValue),
  }
}

function isNamed(written: string, parameter: string): boolean {
  return new URLSearchParams(`${written}=`).has(parameter)
}
