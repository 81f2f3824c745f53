import { createRedactor, type HeaderValue, type Redactor } from '../../engine/redaction/redactor.ts'
import type { Data } from '../../engine/data/value.ts'
import type { Store } from '../../store/index.ts'

/** Every secret that Millrace keeps, to be hidden wherever something of a run is shown. */
export interface KnownSecrets {
  /** @param callerSecret what the caller identified itself with, hidden as well; null if it sent nothing */
  redactor(callerSecret?: string | null): Redactor
  /** To be called when a secret was added, changed or removed. */
  forget(): void
}

export interface KnownSecretsOptions {
  readonly store: Pick<Store, 'connectorAuths' | 'connectors' | 'flows'>
  /** Of env values. */
  readonly envSecrets: () => readonly string[]
}

export function createKnownSecrets({ store, envSecrets }: KnownSecretsOptions): KnownSecrets {
  let known: { readonly secrets: ReadonlySet<string>; readonly redactor: Redactor } | null = null
  /** Personal tokens are stored as hashes alone, so those that call are learned as they come. */
  const byCallerSecret = new Map<string, Redactor>()

  function load() {
    const secrets = new Set([...authSecrets(store), ...webhookTokens(store), ...envSecrets()])
    return { secrets, redactor: createRedactor({ secrets }) }
  }

  function current(callerSecret: string | null): Redactor {
    known ??= load()
    if (callerSecret === null || known.secrets.has(callerSecret)) return known.redactor
    const learned = byCallerSecret.get(callerSecret)
    if (learned) return learned
    const redactor = createRedactor({ secrets: [...known.secrets, callerSecret] })
    if (byCallerSecret.size >= MOST_CALLER_SECRETS) byCallerSecret.clear()
    byCallerSecret.set(callerSecret, redactor)
    return redactor
  }

  return {
    redactor: (callerSecret = null) => new CurrentRedactor(current, callerSecret),
    forget() {
      known = null
      byCallerSecret.clear()
    },
  }
}

/**
 * A run may outlive the secrets it began with: an access token is renewed while it goes on. A class, because there is
 * one for each run (`HistoryRecorder` says why).
 */
class CurrentRedactor implements Redactor {
  readonly #current: (callerSecret: string | null) => Redactor
  readonly #callerSecret: string | null

  constructor(current: (callerSecret: string | null) => Redactor, callerSecret: string | null) {
    this.#current = current
    this.#callerSecret = callerSecret
  }

  redactText(text: string): string {
    return this.#current(this.#callerSecret).redactText(text)
  }

  redactData(value: Data): Data {
    return this.#current(this.#callerSecret).redactData(value)
  }

  redactHeaders<T extends HeaderValue>(headers: Readonly<Record<string, T>>): Record<string, T> {
    return this.#current(this.#callerSecret).redactHeaders(headers)
  }
}

const MOST_CALLER_SECRETS = 50

function authSecrets({ connectorAuths }: KnownSecretsOptions['store']): string[] {
  return connectorAuths.list().records.flatMap(({ id }) => {
    try {
      return Object.values(connectorAuths.secretsOf(id))
    } catch {
      return [] // cannot be decrypted here, so it cannot be shown either
    }
  })
}

function webhookTokens({ flows }: KnownSecretsOptions['store']): string[] {
  return flows.list().records.flatMap(({ id }) => flows.webhookToken(id)?.token ?? [])
}
