/** What is known about a provider of sign-ins: connectors name one in `auth_config.provider`. */
export interface Provider {
  readonly id: string
  readonly name: string
  readonly redirect: RedirectRules
  /** What its errors mean, the most specific first. The steps are those of the guide in the app. */
  readonly problems: readonly Problem[]
}

interface RedirectRules {
  /** The name of this computer in redirect URLs, of those that the provider accepts with any port. */
  readonly loopback: '127.0.0.1' | 'localhost'
  /** The last part of redirect URLs, one for all connectors of the provider. Null means the connector's name. */
  readonly callback: string | null
}

interface Problem {
  /** As errors contain it. Several are separated by `|`. */
  readonly codes: string
  /** What to do, in one or two sentences. */
  readonly advice: string
}
