import type { ENV_VARIABLE_TYPES } from '../../../shared/contract/env-variables.ts'
import type { Database } from 'better-sqlite3'
import type { JsonCodec } from '../sql/codec.ts'
import { createLister } from '../sql/list.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { createRecordMapper, type StoredRow } from '../sql/records.ts'
import { command, scalar } from '../sql/statement.ts'

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

export type EnvVariableRepository = ReturnType<typeof createEnvVariableRepository>

/** The plain value, or null and the sealed value. */
interface StoredVariable extends Omit<EnvVariable, 'value'> {
  readonly value: string | null
  readonly sealed: Buffer | null
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

export function createEnvVariableRepository(db: Database, json: JsonCodec, box: SecretBox) {
  const records = createRecordMapper<StoredVariable>(db, {
    secret: 'flag',
    created_at: 'time',
    updated_at: 'time',
  })
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
  const byId = records.query(`${SELECT} WHERE id = ?`)
  const all = records.query(`${SELECT} ORDER BY key`)
  const remove = command(db, 'DELETE FROM env_variables WHERE id = ?')
  const sealedOf = scalar<Buffer | null>(db, 'SELECT sealed FROM env_variables WHERE id = ?')
  const lister = createLister<StoredRow, ShownEnvVariable>(db, {
    select: SELECT,
    from: 'FROM env_variables',
    key: 'key',
    columns: COLUMNS,
    toRecord: (row) => toShown(records.toRecord(row)),
  })

  function toShown({ sealed, ...variable }: StoredVariable): ShownEnvVariable {
    const read = readValue({ sealed, ...variable })
    return {
      ...variable,
      value: variable.secret ? null : read?.value,
      state: read === null ? 'needs_reentry' : 'ok',
    }
  }

  function readValue({ id, value, sealed }: StoredVariable): { readonly value: unknown } | null {
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

  function toRow(variable: EnvVariable) {
    const { id, secret } = variable
    const text = json.stringify(variable.value)
    return records.toRow({
      ...variable,
      value: secret ? null : text,
      sealed: secret ? seal(id, text) : null,
    })
  }

  return {
    /** Throws if the name is taken. */
    insert: (variable: EnvVariable) => void insert.run(toRow(variable)),
    /** Replaces the record, including its value. False if the variable doesn't exist. */
    update: (variable: EnvVariable) => update.run(toRow(variable)) > 0,
    get(id: string): ShownEnvVariable | null {
      const row = byId.get(id)
      return row === null ? null : toShown(row)
    },
    list: (query: ListQuery = {}) => lister.page(query),
    /** Every variable with its value, including secret ones, for a run. Values that can't be decrypted are left out. */
    values: (): readonly Pick<EnvVariable, 'name' | 'value' | 'secret'>[] =>
      all.all().flatMap((row) => {
        const read = readValue(row)
        return read === null ? [] : [{ name: row.name, value: read.value, secret: row.secret }]
      }),
    delete: (id: string) => remove.run(id) > 0,
  }
}
