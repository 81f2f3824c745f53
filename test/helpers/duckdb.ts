/** DuckDB: a reader of files that wasn't written for Millrace. */
import { importTool } from '../../scripts/lib/tools.ts'

interface DuckDb {
  readonly DuckDBInstance: { create(path: ':memory:'): Promise<Instance> }
}
interface Instance {
  connect(): Promise<Connection>
  closeSync(): void
}
interface Connection {
  runAndReadAll(statement: string): Promise<{ getRowsJson(): unknown[][] }>
  closeSync(): void
}

/** The rows of a statement: values as in JSON, in the order of the columns. */
export async function duckDb(statement: string): Promise<unknown[][]> {
  const { DuckDBInstance } = (await importTool('tools/duckdb', '@duckdb/node-api')) as DuckDb
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(statement)).getRowsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
