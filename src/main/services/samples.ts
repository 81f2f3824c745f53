/** The flow that a new user finds: what is seen running explains itself. */
import { z } from 'zod'
import { labels, nonEmptyText, text } from '../../shared/contract/common.ts'
import { step } from '../../shared/contract/steps.ts'
import { parseInput } from '../../shared/contract/validate.ts'
import type { Caller } from './authorization.ts'
import type { FlowsService } from './flows.ts'

const sampleFile = z.strictObject({
  name: nonEmptyText(200),
  description: text(20_000),
  tags: labels,
  /** What "Send test request" sends. */
  sample_request: z.strictObject({ body: z.record(z.string(), z.unknown()) }),
  steps: z.array(step),
})

/**
 * Makes a draft of a sample, as the given user.
 *
 * @param file content of one of `resources/samples/*.json`
 */
export async function plantSample(
  file: unknown,
  flows: Pick<FlowsService, 'create'>,
  caller: Caller,
): Promise<void> {
  const { name, description, tags, steps } = parseInput(sampleFile, file, 'sample')
  await flows.create(caller, { name, description, tags, steps })
}
