/** Flows that come with Millrace: listed, and planted with all that they need to run. */
import { z } from 'zod'
import { json, labels, nonEmptyText, text } from '../../shared/contract/common.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { type FlowSample, sampleRequest } from '../../shared/contract/flow-samples.ts'
import { type Flow, flowSettings } from '../../shared/contract/flows.ts'
import { type Step, step } from '../../shared/contract/steps.ts'
import { parseInput } from '../../shared/contract/validate.ts'
import type { Caller } from './authorization.ts'
import type { ConnectorAuthsService } from './connector-auths.ts'
import type { EnvVariablesService } from './env-variables.ts'
import type { FlowsService } from './flows.ts'

export interface FlowSamplesService {
  list(): readonly FlowSample[]
  /**
   * Makes a draft of it. What it needs is made along where it is not there yet: env variables by name, auths of the
   * playground, an error handling flow.
   *
   * @throws AppError `not_found`
   */
  plant(caller: Caller, id: string): Promise<Flow>
}

export interface FlowSamplesOptions {
  /** Contents of `resources/samples/*.json` by the name of the file. */
  readonly files: ReadonlyMap<string, unknown>
  readonly flows: Pick<FlowsService, 'create'>
  readonly envVariables: Pick<EnvVariablesService, 'create'>
  readonly connectorAuths: Pick<ConnectorAuthsService, 'create'>
}

export function createFlowSamplesService(options: FlowSamplesOptions): FlowSamplesService {
  const { files, flows, envVariables, connectorAuths } = options
  const read = (id: string, file: unknown) => parseInput(sampleFile, file, `sample ${id}`)

  /** One that is there already is left as it is. */
  async function addVariable(variable: Parameters<EnvVariablesService['create']>[0]): Promise<void> {
    try {
      await envVariables.create(variable)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error
    }
  }

  async function addAuths(
    caller: Caller,
    { connector_auths: auths, auth_ids_in: name }: Setup,
  ): Promise<void> {
    const ids: Record<string, string> = {}
    for (const { key, ...body } of auths) ids[key] = (await connectorAuths.create(caller, body)).id
    if (name !== undefined) await addVariable({ name, type: 'object', value: ids })
  }

  return {
    list: () => [...files].map(([id, file]) => toSample(id, read(id, file))),
    async plant(caller, id) {
      const file = files.get(id)
      if (file === undefined) {
        const known = [...files.keys()].join(', ')
        throw new AppError('not_found', `There is no sample "${id.slice(0, 60)}"; there are ${known}`)
      }
      const { name, description, tags, settings, steps, setup } = read(id, file)
      for (const variable of setup.env_variables) await addVariable(variable)
      if (setup.connector_auths.length > 0) await addAuths(caller, setup)
      const handler = setup.error_flow && (await flows.create(caller, { ...setup.error_flow, tags }))
      return flows.create(caller, {
        name,
        description,
        tags,
        steps,
        settings: { ...settings, ...(handler ? { error_handling_flow_id: handler.id } : {}) },
      })
    },
  }
}

const setup = z.strictObject({
  env_variables: z
    .array(
      z.strictObject({
        name: text(100),
        type: z.enum(['text', 'number', 'list', 'object']),
        value: json,
        secret: z.boolean().default(false),
      }),
    )
    .default([]),
  connector_auths: z
    .array(
      z.strictObject({
        key: text(100),
        connector_id: text(100),
        name: text(200),
        auth_type: z.enum(['bearer', 'none']),
        auth_token: text(200).default(''),
      }),
    )
    .default([]),
  /** The env variable that holds the ids of the auths by their keys. */
  auth_ids_in: text(100).optional(),
  error_flow: z
    .strictObject({ name: nonEmptyText(200), description: text(20_000), steps: z.array(step) })
    .optional(),
})
type Setup = z.output<typeof setup>

const sampleFile = z.strictObject({
  name: nonEmptyText(200),
  description: text(20_000),
  teaches: text(2_000),
  tags: labels,
  settings: flowSettings.partial().default({}),
  setup: setup.default({ env_variables: [], connector_auths: [] }),
  sample_request: sampleRequest.nullable().default(null),
  steps: z.array(step),
})

function toSample(id: string, file: z.output<typeof sampleFile>): FlowSample {
  const { name, description, teaches, tags, steps, sample_request } = file
  return { id, name, description, teaches, tags, sample_request, step_types: [...new Set(typesOf(steps))] }
}

function typesOf(steps: readonly Step[]): string[] {
  return steps.flatMap((one) => [
    one.type,
    ...typesOf([
      ...(one.steps ?? []),
      ...(one.then ?? []),
      ...(one.else ?? []),
      ...(one.cases ?? []).flatMap((branch) => branch.steps),
      ...(one.default ?? []),
    ]),
  ])
}
