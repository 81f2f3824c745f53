import type { ConnectorDraft } from '../../../shared/contract/connector-imports.ts'

type Placement = Pick<ConnectorDraft, 'auth_config' | 'header' | 'url_token_extension'>

/** Detects from a request's header how the connector sends its credentials. Null if the header carries none. */
export function placementOfHeader(name: string, value: string): Placement | null {
  const lower = name.toLowerCase()
  if (lower === 'authorization') {
    const scheme = value.split(' ')[0]?.toLowerCase()
    if (scheme === 'bearer') return bearer()
    if (scheme === 'basic') return basic()
    return inHeader('Authorization', 'basic_auth', 'Authorization, scheme included')
  }
  if (lower === 'cookie' || lower === 'proxy-authorization') return null
  return inHeader(name, 'api_key', name)
}

export const bearer = (): Placement => ({
  auth_config: { auth_types: ['bearer'], auth_form: [field('auth_token', 'Token')] },
})

export const basic = (): Placement => ({
  auth_config: {
    auth_types: ['username_password'],
    auth_form: [
      { name: 'username', label: 'Username', type: 'text', required: true },
      field('password', 'Password'),
    ],
  },
})

export function inHeader(name: string, type: 'api_key' | 'basic_auth', label: string): Placement {
  return {
    auth_config: { auth_types: [type], auth_form: [field('auth_token', label)] },
    header: {
      token_in_header: true,
      header_key: name,
      token_prefix: '{{ token }}',
      content_type: 'application/json',
      custom_headers: {},
    },
  }
}

export function inQuery(name: string): Placement {
  return {
    auth_config: { auth_types: ['api_key'], auth_form: [field('auth_token', name)] },
    header: {
      token_in_header: false,
      header_key: 'Authorization',
      token_prefix: '{{ token }}',
      content_type: 'application/json',
      custom_headers: {},
    },
    url_token_extension: { key: name, value: '{{ token }}' },
  }
}

const field = (name: string, label: string) => ({ name, label, type: 'password', required: true })
