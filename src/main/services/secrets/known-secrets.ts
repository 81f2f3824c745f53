import {
  createRedactor,
  type HeaderValue,
  type Redactor,
  SecretSet,
} from '../../engine/redaction/redactor.ts'
import type { Data } from '../../engine/data/value.ts'
import type { FormerSecret, Store } from '../../store/index.ts'
import { storedJson } from '../kit/json-codec.ts'
import { textsOf } from './texts-of.ts'

/**
 * Every secret that Millrace keeps, and those that were replaced or deleted while something stored may hold them, to be
 * hidden wherever something of a run is shown.
 */
export interface KnownSecrets {
  /** @param callerSecret what the caller identified itself with, hidden as well; null if it sent nothing */
  redactor(callerSecret?: string | null): Redactor
  /** To be called when a secret was added or changed. */
  lookAgain(): void
  /** To be called when former ones were forgotten. */
  forget(): void
}

export interface KnownSecretsOptions {
  readonly store: Pick<Store, 'connectorAuths' | 'connectors' | 'flows' | 'formerSecrets'>
  /** Of env values. */
  readonly envSecrets: () => readonly string[]
}

/** What was learned stays known until `forget`: the history of today was written with secrets that end tomorrow. */
interface Learned {
  readonly secrets: SecretSet
  readonly redactor: Redactor
  /** Former secrets up to this key are among them. */
  formerKey: number
}

export function createKnownSecrets({ store, envSecrets }: KnownSecretsOptions): KnownSecrets {
  let learned: Learned | null = null
  let isStale = true
  /** Personal tokens are stored as hashes alone, so those that call are learned as they come. */
  const byCallerSecret = new Map<string, Redactor>()

  function learn(): Learned {
    const known = learned ?? nothingLearned()
    learned = known
    if (!isStale) return known
    isStale = false
    const { secrets } = known
    for (const { key, ...former } of store.formerSecrets.after(known.formerKey)) {
      if (former.text === null) break // its key may be imported
      for (const secret of textsOfFormer(former.owner, former.text)) secrets.add(secret)
      known.formerKey = key
    }
    for (const secret of [...storedSecrets(store), ...store.flows.webhookTokens(), ...envSecrets()])
      secrets.add(secret)
    return known
  }

  function current(callerSecret: string | null): Redactor {
    const { secrets, redactor } = learn()
    if (callerSecret === null || secrets.has(callerSecret)) return redactor
    const known = byCallerSecret.get(callerSecret)
    if (known) return known
    const made = createRedactor({ secrets: [callerSecret], known: secrets })
    if (byCallerSecret.size >= MOST_CALLER_SECRETS) byCallerSecret.clear()
    byCallerSecret.set(callerSecret, made)
    return made
  }

  return {
    redactor: (callerSecret = null) => new CurrentRedactor(current, callerSecret),
    lookAgain() {
      isStale = true
    },
    forget() {
      learned = null
      isStale = true
      byCallerSecret.clear()
    },
  }
}

function nothingLearned(): Learned {
  const secrets = new SecretSet()
  return { secrets, redactor: createRedactor({ secrets: [], known: secrets }), formerKey: 0 }
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

function storedSecrets({ connectorAuths, connectors }: KnownSecretsOptions['store']): string[] {
  return [connectorAuths, connectors].flatMap((kept) =>
    kept.list().records.flatMap(({ id }) => {
      try {
        return Object.values(kept.secretsOf(id))
      } catch {
        return [] // cannot be decrypted here, so it cannot be shown either
      }
    }),
  )
}

/** A token stands alone, a variable may be a list of secrets, and an auth has several by name. */
function textsOfFormer(owner: FormerSecret['owner'], text: string): readonly string[] {
  return owner.startsWith('flows:') ? [text] : textsOf(storedJson.parse(text) as Data)
}
