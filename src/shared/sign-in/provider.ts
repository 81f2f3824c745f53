/** A sign-in provider, which connectors name in `auth_config.provider`. */
export interface Provider {
  readonly id: string
  readonly name: string
  readonly redirect: RedirectRules
  /** Advice for its errors, most specific first. The steps refer to the guide in the app. */
  readonly problems: readonly Problem[]
}

interface RedirectRules {
  /** The loopback host in redirect URLs. The provider accepts it with any port. */
  readonly loopback: '127.0.0.1' | 'localhost'
  /** The last part of redirect URLs, one for all connectors of the provider. Null means the connector's name. */
  readonly callback: string | null
}

interface Problem {
  /** The code as it appears in errors. Several codes are separated by `|`. */
  readonly codes: string
  /** Advice in one or two sentences. */
  readonly advice: string
}
