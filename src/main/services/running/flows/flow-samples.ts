/** Lists sample flows, and creates them with everything they need to run. */
import { closest, say } from '../../../../shared/contract/base/message.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { FlowSample } from '../../../../shared/contract/flow-samples.ts'
import type { Flow } from '../../../../shared/contract/flows.ts'
import type { Step } from '../../../../shared/contract/steps.ts'
import { parseInput } from '../../../../shared/contract/base/validate.ts'
import { stepsIn } from '../../../../shared/contract/base/step-lists.ts'
import type { Caller } from '../../kit/caller.ts'
import type { FlowFilesService } from './flow-files.ts'
import { fileOfSample, type OneFlow, oneFlow } from './read-source.ts'

export interface FlowSamplesOptions {
  /** Contents of `resources/samples/*.json` by file name. */
  readonly files: ReadonlyMap<string, unknown>
  readonly flowFiles: Pick<FlowFilesService, 'make'>
}

export function createFlowSamplesService({ files, flowFiles }: FlowSamplesOptions) {
  const read = (id: string, file: unknown) => parseInput(oneFlow, file, `sample ${id}`)
  return {
    list: (): readonly FlowSample[] => [...files].map(([id, file]) => toSample(id, read(id, file))),
    /**
     * Creates a draft from the sample, and everything it needs that doesn't exist yet: env variables by name, auths of
     * the playground, an error-handling flow.
     *
     * @throws AppError `not_found`
     */
    async plant(caller: Caller, id: string): Promise<Flow> {
      const file = files.get(id)
      if (file === undefined) {
        const given = id.slice(0, 60)
        const near = closest(id, files.keys())
        throw new AppError(
          'not_found',
          near === undefined
            ? say('There is no sample "{{id}}"; the samples are {{names}}', {
                id: given,
                names: [...files.keys()].join(', '),
              })
            : say('There is no sample "{{id}}"; did you mean "{{near}}"?', { id: given, near }),
        )
      }
      const { other_flows: _, ...flow } = await flowFiles.make(caller, fileOfSample(read(id, file)))
      return flow
    },
  }
}

function toSample(id: string, file: OneFlow): FlowSample {
  const { name, description, teaches, tags, steps, sample_request } = file
  return { id, name, description, teaches, tags, sample_request, step_types: [...new Set(typesOf(steps))] }
}

function typesOf(steps: readonly Step[]): string[] {
  return steps.flatMap((one) => [one.type, ...typesOf(stepsIn(one))])
}
