import type { Database } from 'better-sqlite3'
import type { Connector } from '../../../shared/contract/connectors.ts'
import {
  isSealedAlready,
  openSecrets,
  sealSecrets,
  type SecretBox,
  type Secrets,
} from '../secrets/secret-box.ts'
import { type JsonCodec, PLAIN_JSON } from '../sql/codec.ts'
import type { Columns, ListQuery } from '../sql/list-query.ts'
import { createRecordMapper } from '../sql/records.ts'
import { command, scalar } from '../sql/statement.ts'

export type ConnectorRepository = ReturnType<typeof createConnectorRepository>

const COLUMNS: Columns = {
  id: { sql: 'id', type: 'text' },
  name: { sql: 'name', type: 'text' },
  type: { sql: 'type', type: 'text' },
  status: { sql: 'status', type: 'text' },
  base_domain: { sql: 'base_domain', type: 'text' },
  test_action: { sql: 'test_action', type: 'text', nullable: true },
  short_description: { sql: 'short_description', type: 'text' },
  long_description: { sql: 'long_description', type: 'text' },
  image_url: { sql: 'image_url', type: 'text' },
  external_docs: { sql: 'external_docs', type: 'text' },
  tags: { sql: 'tags', type: 'text', isList: true },
  built_in: { sql: 'built_in', type: 'flag' },
  created_at: { sql: 'created_at', type: 'time' },
  updated_at: { sql: 'updated_at', type: 'time' },
}

const SELECT = `
  SELECT key, id, name, type, status, base_domain, auth_config, header, url_token_extension, pagination_config,
    search_config, test_action, allowed_origins, rate_limit, short_description, long_description, image_url, external_docs,
    tags, built_in, created_at, updated_at
  FROM connectors`

export function createConnectorRepository(db: Database, json: JsonCodec, box: SecretBox) {
  const records = createRecordMapper<Connector>(
    db,
    {
      auth_config: 'json',
      header: 'json?',
      url_token_extension: 'json?',
      pagination_config: 'json?',
      search_config: 'json?',
      allowed_origins: 'labels',
      rate_limit: 'json?',
      tags: 'labels',
      built_in: 'flag',
      created_at: 'time',
      updated_at: 'time',
    },
    json,
  )
  const insert = command(
    db,
    `INSERT INTO connectors (id, name, type, status, base_domain, auth_config, header, url_token_extension,
       pagination_config, search_config, test_action, allowed_origins, rate_limit, short_description, long_description,
       image_url, external_docs, tags, built_in, created_at, updated_at)
     VALUES (@id, @name, @type, @status, @base_domain, @auth_config, @header, @url_token_extension,
       @pagination_config, @search_config, @test_action, @allowed_origins, @rate_limit, @short_description, @long_description,
       @image_url, @external_docs, @tags, @built_in, @created_at, @updated_at)`,
  )
  const update = command(
    db,
    `UPDATE connectors SET name = @name, type = @type, status = @status, base_domain = @base_domain,
       auth_config = @auth_config, header = @header, url_token_extension = @url_token_extension,
       pagination_config = @pagination_config, search_config = @search_config, test_action = @test_action,
       allowed_origins = @allowed_origins, rate_limit = @rate_limit, short_description = @short_description,
       long_description = @long_description, image_url = @image_url, external_docs = @external_docs, tags = @tags,
       built_in = @built_in, created_at = @created_at, updated_at = @updated_at
     WHERE id = @id`,
  )
  const seal = command(db, 'UPDATE connectors SET sealed = ? WHERE id = ?')
  const sealed = scalar<Buffer | null>(db, 'SELECT sealed FROM connectors WHERE id = ?')
  const origins = scalar<string | null>(db, 'SELECT origins FROM connectors WHERE id = ?')
  const setOrigins = command(db, 'UPDATE connectors SET origins = ? WHERE id = ?')
  const byId = records.query(`${SELECT} WHERE id = ?`)
  const remove = command(db, 'DELETE FROM connectors WHERE id = ?')
  const lister = records.lister({ select: SELECT, from: 'FROM connectors', columns: COLUMNS })

  function storeSecrets(id: string, secrets: Secrets | undefined): void {
    if (secrets === undefined) return
    if (isSealedAlready(box, `connectors:${id}`, sealed.get(id) ?? null, secrets)) return
    seal.run(sealSecrets(box, `connectors:${id}`, secrets), id)
  }

  return {
    /** `secrets`: values of `auth_config` that are never shown, such as an OAuth client secret. */
    insert(connector: Connector, secrets?: Secrets): void {
      insert.run(records.toRow(connector))
      storeSecrets(connector.id, secrets)
    },
    /** Replaces the record; absent `secrets` stay unchanged. False if the connector doesn't exist. */
    update(connector: Connector, secrets?: Secrets): boolean {
      const isThere = update.run(records.toRow(connector)) > 0
      if (isThere) storeSecrets(connector.id, secrets)
      return isThere
    },
    get: (id: string) => byId.get(id),
    /** @throws SecretUnreadableError if they can't be decrypted on this machine */
    secretsOf: (id: string) => openSecrets(box, `connectors:${id}`, sealed.get(id) ?? null),
    /** The origins its own secrets may be sent to; null if an earlier version stored them. */
    originsOf(id: string): readonly string[] | null {
      const list = origins.get(id) ?? null
      return list === null ? null : (PLAIN_JSON.parse(list) as string[])
    },
    setOrigins: (id: string, list: readonly string[]) => void setOrigins.run(PLAIN_JSON.stringify(list), id),
    list: (query: ListQuery = {}) => lister.page(query),
    /** Deletes it with its actions; throws while it has connector auths. */
    delete: (id: string) => remove.run(id) > 0,
  }
}
