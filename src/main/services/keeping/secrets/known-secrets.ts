import {
  createRedactor,
  type HeaderValue,
  type Redactor,
  SecretSet,
} from '../../../engine/redaction/redactor.ts'
import type { Data } from '@millrace/jinja/data'
import type { FormerSecret, Store } from '../../../store/index.ts'
import { storedJson } from '../../kit/json-codec.ts'
import { textsOf } from './texts-of.ts'

/**
 * Every secret that Millrace stores, and replaced or deleted ones while stored data can contain them, to be redacted
 * wherever a run is shown.
 */
export type KnownSecrets = ReturnType<typeof createKnownSecrets>

export interface KnownSecretsOptions {
  readonly store: Pick<Store, 'connectorAuths' | 'connectors' | 'flows' | 'formerSecrets' | 'tunnel'>
  /** The secret env values. */
  readonly envSecrets: () => readonly string[]
}

/** Secrets stay known until `forget`, because the history can contain secrets that expire in the meantime. */
interface Learned {
  readonly secrets: SecretSet
  readonly redactor: Redactor
  /** Includes former secrets up to this key. */
  formerKey: number
}

export function createKnownSecrets({ store, envSecrets }: KnownSecretsOptions) {
  let learned: Learned | null = null
  let isStale = true
  /** Personal access tokens are only stored as hashes, so those in use are learned from their calls. */
  const byCallerSecret = new Map<string, Redactor>()

  function learn(): Learned {
    const known = learned ?? nothingLearned()
    learned = known
    if (!isStale) return known
    const { secrets } = known
    for (const { key, ...former } of store.formerSecrets.after(known.formerKey)) {
      if (former.text === null) break // its key can still be imported
      for (const secret of textsOfFormer(former.owner, former.text)) secrets.add(secret)
      known.formerKey = key
    }
    for (const secret of [...storedSecrets(store), ...store.flows.webhookTokens(), ...envSecrets()])
      secrets.add(secret)
    for (const secret of Object.values(store.tunnel.secrets())) secrets.add(secret)
    // Set last, because reading throws in a transaction that only adds records, whose write is then repeated in another
    // one.
    isStale = false
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
    /** @param callerSecret the caller's credentials, which are redacted too; null if it sent none */
    redactor: (callerSecret: string | null = null): Redactor => new CurrentRedactor(current, callerSecret),
    /** Call when a secret was added or changed. */
    lookAgain(): void {
      isStale = true
    },
    /** Call when former secrets were deleted. */
    forget(): void {
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
 * A run can outlive the secrets it started with, for example when an access token is refreshed. A class, because there
 * is one for each run (see `HistoryRecorder`).
 */
class CurrentRedactor implements Redactor {
  readonly #current: (callerSecret: string | null) => Redactor
  readonly #callerSecret: string | null

  constructor(current: (callerSecret: string | null) => Redactor, callerSecret: string | null) {
    this.#current = current
    this.#callerSecret = callerSecret
  }

  get state(): object {
    return this.#current(this.#callerSecret).state
  }

  redactText(text: string): string {
    return this.#current(this.#callerSecret).redactText(text)
  }

  redactBeginning(text: string): string {
    return this.#current(this.#callerSecret).redactBeginning(text)
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
        return [] // can't be decrypted here, so it can't be shown either
      }
    }),
  )
}

/** A token is a single secret, a variable can be a list of them, and an auth has several by name. */
function textsOfFormer(owner: FormerSecret['owner'], text: string): readonly string[] {
  return owner.startsWith('flows:') ? [text] : textsOf(storedJson.parse(text) as Data)
}
