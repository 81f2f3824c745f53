import { say } from '../../../../../shared/contract/base/message.ts'
import type { StepConfig } from '../../../../../shared/contract/step-types/index.ts'
import type { StepScope } from '../../model/compiled-step.ts'
import type { SinkTarget } from '../../model/ports.ts'
import { readPath } from './read-input.ts'
import { findAuth } from './step-auth.ts'

type SinkConfig = Pick<StepConfig<'write_records'>, 'target' | 'path' | 'auth_id' | 'table'>

/** The file or table that a step names. */
export async function readSinkTarget(config: SinkConfig, scope: StepScope): Promise<SinkTarget> {
  const { target } = config
  if (target === 'jsonl' || target === 'csv' || target === 'parquet')
    return { kind: target, path: readPath(config.path ?? '', scope) }
  const table = readTable(config.table ?? '', scope)
  if (target === 'sqlite') return { kind: target, path: readPath(config.path ?? '', scope), table }
  const auth = await findAuth(config, null, scope)
  if (auth !== null) return { kind: target, auth, table }
  throw scope.fail('validation', say('"auth_id" is missing; choose a connector auth of "SQL database"'), {
    field: 'config.auth_id',
  })
}

function readTable(source: string, scope: StepScope): string {
  const field = 'config.table'
  const table = scope.renderText(field, source).trim()
  const problem =
    table === ''
      ? say('is empty; name the table')
      : table.includes('\0') || Buffer.byteLength(table) > MOST_BYTES
        ? say('must have at most {{most}} bytes, without NUL', { most: MOST_BYTES })
        : /^(?:sqlite_|millrace_sync$)/i.test(table)
          ? say('is {{table}}, which is already taken; choose another name', { table })
          : null
  if (problem === null) return table
  throw scope.fail('validation', say('"table" {{problem}}', { problem }), { field })
}

/** PostgreSQL truncates longer names. */
const MOST_BYTES = 63
