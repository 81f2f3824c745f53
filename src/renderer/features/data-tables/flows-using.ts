import type { DataTable } from '../../../shared/contract/data/data-tables.ts'
import type { Api } from '../../api/create-api.ts'
import { FLOWS } from '../../api/lists.ts'
import { cached } from '../../api/resource.ts'
import { stepsWithin } from '../../lib/steps-within.ts'

/** The names of the flows with a step that uses the table; null if they can't be read. */
export async function flowsUsing(
  api: Pick<Api, 'call' | 'list' | 'live'>,
  { id, name }: DataTable,
): Promise<readonly string[] | null> {
  const flows = await cached(api, FLOWS)
    .read()
    .catch(() => null)
  if (flows === null) return null
  return flows
    .filter(({ steps }) => usesTable(steps, [id, name]))
    .map((flow) => flow.name)
    .toSorted((a, b) => a.localeCompare(b))
}

function usesTable(steps: Parameters<typeof stepsWithin>[0], namesOrIds: readonly string[]): boolean {
  return stepsWithin(steps).some(({ type, config }) => {
    const { table } = config as { readonly table?: unknown }
    return type === 'data_table' && typeof table === 'string' && namesOrIds.includes(table)
  })
}
