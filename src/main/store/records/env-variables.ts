import type { ENV_VARIABLE_TYPES } from '../../../shared/contract/env-variables.ts'
import type { Database } from 'better-sqlite3'
import { toFlag, toIso, toTime, type JsonCodec } from '../sql/codec.ts'
import { createLister, type Listed } from '../sql/list.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { command, rows, scalar } from '../sql/statement.ts'

export interface EnvVariable {
  readonly id: string
  /** Unique; templates refer to the variable by it. */
  readonly name: string
  readonly type: (typeof ENV_VARIABLE_TYPES)[number]
  readonly value: unknown
  readonly secret: boolean
  readonly created_at: string
  readonly updated_at: string
}

/** The value of a secret variable is null here. */
export type ShownEnvVariable = EnvVariable & { readonly state: 'ok' | 'needs_reentry' }

export interface EnvVariableRepository {
  /** Throws if the name is taken. */
  insert(variable: EnvVariable): void
  /** Replaces the record, including its value. False if the variable doesn't exist. */
  update(variable: EnvVariable): boolean
  get(id: string): ShownEnvVariable | null
  list(query?: ListQuery): Listed<ShownEnvVariable>
  /** Every variable with its value, including secret ones, for a run. Values that can't be decrypted are left out. */
  values(): readonly Pick<EnvVariable, 'name' | 'value' | 'secret'>[]
  delete(id: string): boolean
}

interface VariableRow {
  readonly key: number
  readonly id: string
  readonly name: string
  readonly type: EnvVariable['type']
  readonly value: string | null
  readonly sealed: Buffer | null
  readonly secret: number
  readonly created_at: number
  readonly updated_at: number
}

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  name: { sql: 'name', type: 'text' },
  type: { sql: 'type', type: 'text' },
  secret: { sql: 'secret', type: 'flag' },
  created_at: { sql: 'created_at', type: 'time' },
  updated_at: { sql: 'updated_at', type: 'time' },
}

const SELECT = 'SELECT key, id, name, type, value, sealed, secret, created_at, updated_at FROM env_variables'

export function createEnvVariableRepository(
  db: Database,
  json: JsonCodec,
  box: SecretBox,
): EnvVariableRepository {
  const insert = command(
    db,
    `INSERT INTO env_variables (id, name, type, value, sealed, secret, created_at, updated_at)
     VALUES (@id, @name, @type, @value, @sealed, @secret, @created_at, @updated_at)`,
  )
  const update = command(
    db,
    `UPDATE env_variables SET name = @name, type = @type, value = @value, sealed = @sealed, secret = @secret,
       created_at = @created_at, updated_at = @updated_at
     WHERE id = @id`,
  )
  const byId = rows<VariableRow>(db, `${SELECT} WHERE id = ?`)
  const all = rows<VariableRow>(db, `${SELECT} ORDER BY key`)
  const remove = command(db, 'DELETE FROM env_variables WHERE id = ?')
  const sealedOf = scalar<Buffer | null>(db, 'SELECT sealed FROM env_variables WHERE id = ?')
  const lister = createLister<VariableRow, ShownEnvVariable>(db, {
    select: SELECT,
    from: 'FROM env_variables',
    key: 'key',
    columns: COLUMNS,
    toRecord: toShown,
  })

  function toShown(row: VariableRow): ShownEnvVariable {
    const isSecret = row.secret === 1
    return {
      id: row.id,
      name: row.name,
      type: row.type,
      value: isSecret ? null : readValue(row)?.value,
      secret: isSecret,
      state: readValue(row) === null ? 'needs_reentry' : 'ok',
      created_at: toIso(row.created_at),
      updated_at: toIso(row.updated_at),
    }
  }

  function readValue({ id, value, sealed }: VariableRow): { readonly value: unknown } | null {
    try {
      const text = sealed === null ? value : box.open(`env_variables:${id}`, sealed)
      return { value: text === null ? null : json.parse(text) }
    } catch {
      return null
    }
  }

  /** An unchanged value isn't sealed again, because a replaced value is kept as a former secret. */
  function seal(id: string, text: string): Buffer {
    const before = sealedOf.get(id) ?? null
    return before !== null && isSame(id, before, text) ? before : box.seal(`env_variables:${id}`, text)
  }

  function isSame(id: string, sealed: Buffer, text: string): boolean {
    try {
      return box.open(`env_variables:${id}`, sealed) === text
    } catch {
      return false
    }
  }

  function toRow({ id, name, type, value, secret, created_at, updated_at }: EnvVariable) {
    const text = json.stringify(value)
    return {
      id,
      name,
      type,
      value: secret ? null : text,
      sealed: secret ? seal(id, text) : null,
      secret: toFlag(secret),
      created_at: toTime(created_at),
      updated_at: toTime(updated_at),
    }
  }

  return {
    insert: (variable) => void insert.run(toRow(variable)),
    update: (variable) => update.run(toRow(variable)) > 0,
    get(id) {
      const row = byId.get(id)
      return row === undefined ? null : toShown(row)
    },
    list: (query = {}) => lister.page(query),
    values: () =>
      all.all().flatMap((row) => {
        const read = readValue(row)
        return read === null ? [] : [{ name: row.name, value: read.value, secret: row.secret === 1 }]
      }),
    delete: (id) => remove.run(id) > 0,
  }
}
