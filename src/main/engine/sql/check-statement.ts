import { say, type Said } from '../../../shared/contract/base/message.ts'
/** Finds problems with SQL statements before they reach a database. */

/** Completes the sentence "the statement …"; null if nothing is wrong. */
export function statementProblem(statement: string): Said | null {
  if (/\{\{|\{%/.test(statement)) {
    return say(
      'must not contain templates, because a value could then change what it does; write ? or $1 in their place and put the template in "parameters"',
    )
  }
  const keyword = firstKeyword(statement)
  if (keyword === '') return say('is empty')
  if (TRANSACTION.has(keyword)) {
    return say('begins with {{keyword}}; put the statements in "statements", which run in one transaction', {
      keyword,
    })
  }
  if (keyword === 'COPY' && /\b(?:to\s+stdout|from\s+stdin)\b/i.test(statement)) {
    return say(
      'copies data to or from the client, which steps don\'t support; read rows with SELECT, and write them with INSERT or a step "write_records"',
    )
  }
  if (keyword === 'LOAD' && /\blocal\s+infile\b/i.test(statement))
    return say("loads a file from the client, which steps don't support; write rows with INSERT")
  return null
}

/** Like `statementProblem`, but for SQLite, whose statements can also open other files and turn protections off. */
export function sqliteProblem(statement: string): Said | null {
  const keyword = firstKeyword(statement)
  if (keyword === 'ATTACH' || keyword === 'DETACH')
    return say('begins with {{keyword}}, which would open another file', { keyword })
  if (keyword === 'VACUUM' && /\binto\b/i.test(statement)) return say('writes another file with VACUUM INTO')
  if (keyword !== 'PRAGMA') return null
  const name = /^pragma\s+(?:\w+\s*\.\s*)?(\w+)/i.exec(withoutLead(statement))?.[1]?.toLowerCase() ?? ''
  return PRAGMAS.has(name)
    ? null
    : say('uses the PRAGMA {{name}}, but only {{names}} are allowed', {
        name: name.slice(0, 60),
        names: [...PRAGMAS].join(', '),
      })
}

/** Whether the statement may create the database file. */
export const isCreating = (statement: string): boolean => firstKeyword(statement) === 'CREATE'

/** Whether the statement begins like one that returns rows. */
export const isReading = (statement: string): boolean =>
  ['SELECT', 'WITH', 'VALUES', 'TABLE', '('].includes(firstKeyword(statement))

function firstKeyword(statement: string): string {
  return /^[a-z]+/i.exec(withoutLead(statement))?.[0].toUpperCase() ?? withoutLead(statement).slice(0, 1)
}

/** The statement without leading comments, spaces and empty statements. */
function withoutLead(statement: string): string {
  return statement.replace(/^(?:[\s;\ufeff]|--[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$))+/, '')
}

const TRANSACTION: ReadonlySet<string> = new Set([
  'BEGIN',
  'START',
  'COMMIT',
  'ROLLBACK',
  'ABORT',
  'END',
  'SAVEPOINT',
  'RELEASE',
])

/** Pragmas that only read facts about a database, or only change a number in its header. */
const PRAGMAS: ReadonlySet<string> = new Set([
  'foreign_key_check',
  'foreign_key_list',
  'index_info',
  'index_list',
  'integrity_check',
  'quick_check',
  'table_info',
  'table_list',
  'table_xinfo',
  'user_version',
])
