/** Tests the flows of a folder with recorded calls, and makes tests from runs. */
import { watch } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type FlowTestResult,
  recordFlowTestRoute,
  type TestCoverage,
} from '../../../shared/contract/flow-tests.ts'
import { runFlowTestsRoute } from '../../../shared/contract/flow-files.ts'
import { type Data, writeJson } from '@millrace/jinja/data'
import { EXIT, type ExitCode, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { type FolderFault, type FolderFlow, readFlowFolder } from '../support/flow-folder.ts'
import type { HostClient } from '../support/host-client.ts'
import { type TestedFlow, writeJunit } from '../support/junit.ts'
import { addTestFile, readTestFiles, type TestFile, writeTestFile } from '../support/test-files.ts'
import { writeText } from '../support/text-file.ts'
import { withHost } from '../support/with-host.ts'
import { type LiveTestOptions, testLive } from './flow-live-test.ts'

export interface FlowTestOptions extends LiveTestOptions {
  readonly name?: string
  readonly watch?: boolean
  readonly junit?: string
  readonly coverage?: boolean
  readonly live?: boolean
}

const DEFAULT_FOLDER = 'flows'

/** Exits with 1 if a test fails, and with 2 if a file is invalid or there is nothing to test. */
export async function testFlows(
  context: CommandContext,
  { live = false, ...options }: FlowTestOptions,
  folder?: string,
): Promise<ExitCode> {
  if (live) return testLive(context, options, folder)
  const place = folder ?? DEFAULT_FOLDER
  return withHost(context.config, async (host) => {
    if (options.record !== undefined) return recordTest(context, host, place, options.record, options.name)
    if (options.watch === true) return watchTests(context, host, place, options)
    return testOnce(context, host, place, options)
  })
}

async function recordTest(
  { output }: CommandContext,
  host: HostClient,
  folder: string,
  run: string,
  name = `Run ${run.slice(0, 8)}`,
): Promise<ExitCode> {
  const { flows, faults } = await readFlowFolder(folder)
  const { test } = await host.call(recordFlowTestRoute, { params: { id: run }, body: { name } })
  const flow = flows.find(({ normal }) => normal.id === test.flow.toLowerCase())
  if (flow === undefined) {
    const why = faults.length > 0 ? `; ${describeFault(faults[0] as FolderFault)}` : ''
    const message = `The flow of run ${run} has no file in ${folder}; "millrace flow pull ${folder}" writes it${why}`
    throw new HostError(EXIT.failed, message)
  }
  const file = addTestFile(folder, flow.file, test)
  output.answer({ file, calls: test.calls.length }, `Recorded ${file} (${test.calls.length} calls)`)
  return EXIT.ok
}

type RunOptions = Pick<FlowTestOptions, 'coverage' | 'flow' | 'junit' | 'update'>

async function watchTests(
  context: CommandContext,
  host: HostClient,
  folder: string,
  options: RunOptions,
): Promise<ExitCode> {
  const { readerGone } = context
  const changes = watch(folder, { recursive: true, signal: readerGone })[Symbol.asyncIterator]()
  for (;;) {
    // Listens from here on, so that no change during the tests is missed.
    const changed = changes.next()
    await testOnce(context, host, folder, options)
    await changed.finally(() => readerGone.throwIfAborted())
    await sleep(SETTLE_MS)
  }
}

/** An editor writes a file in several steps. */
const SETTLE_MS = 200

interface Tested extends TestedFlow {
  readonly coverage: TestCoverage
}

async function testOnce(
  { output }: CommandContext,
  host: HostClient,
  folder: string,
  { coverage = false, flow: wanted, junit, update = false }: RunOptions,
): Promise<ExitCode> {
  const content = await readFlowFolder(folder)
  const files = readTestFiles(folder)
  const faults = [...content.faults, ...files.faults, ...strayTests(content.flows, files.tests)]
  for (const fault of faults) output.warning(fault, describeFault(fault))
  const chosen = content.flows.filter((flow) => wanted === undefined || isMeant(flow, wanted))
  const byFlow = Map.groupBy(files.tests, ({ test }) => test.flow.toLowerCase())
  const planned = chosen.flatMap((flow) => {
    const tests = byFlow.get(flow.normal.id) ?? []
    return tests.length === 0 ? [] : [{ flow, tests }]
  })
  if (planned.length === 0 && faults.length === 0) {
    const which = wanted === undefined ? `in ${folder}` : `of flow "${wanted}" in ${folder}`
    throw new HostError(
      EXIT.usage,
      `There is no test ${which}; "millrace flow test ${folder} --record RUN" makes one`,
    )
  }
  const flows: Tested[] = []
  for (let at = 0; at < planned.length; at += AT_ONCE)
    flows.push(
      ...(await Promise.all(
        planned.slice(at, at + AT_ONCE).map(({ flow, tests }) => testFlow(host, folder, flow, tests, update)),
      )),
    )
  const results = flows.flatMap(({ name, results: own }) => own.map((one) => ({ flow: name, ...one })))
  if (!output.json) for (const result of results) output.text(describeResult(result))
  if (coverage && !output.json) for (const flow of flows) output.text(describeCoverage(flow))
  if (junit !== undefined) writeText(junit, writeJunit(flows))
  const failed = results.filter(({ passed }) => !passed).length
  output.answer(
    {
      passed: results.length - failed,
      failed,
      tests: results.map(({ flow, name, file, passed, duration_ms, failures }) => ({
        flow,
        name,
        file,
        passed,
        duration_ms,
        failures,
      })),
      ...(coverage && { coverage: flows.map(({ name, coverage: reached }) => ({ flow: name, ...reached })) }),
    },
    `${results.length - failed} passed, ${failed} failed`,
  )
  return faults.length > 0 ? EXIT.usage : failed > 0 ? EXIT.failed : EXIT.ok
}

const AT_ONCE = 4
const MOST_IN_REQUEST = 50

async function testFlow(
  host: HostClient,
  folder: string,
  { file, source, normal }: FolderFlow,
  tests: readonly TestFile[],
  update: boolean,
): Promise<Tested> {
  const results: (FlowTestResult & { file: string; updated?: true })[] = []
  let coverage: TestCoverage | null = null
  for (let at = 0; at < tests.length; at += MOST_IN_REQUEST) {
    const part = tests.slice(at, at + MOST_IN_REQUEST)
    const played = await host.call(runFlowTestsRoute, {
      body: { source, tests: part.map(({ test }) => test) },
    })
    coverage = coverage === null ? played.coverage : both(coverage, played.coverage)
    for (const [index, result] of played.results.entries()) {
      const { file: own, test } = part[index] as TestFile
      const isUpdated = update && !result.passed && result.can_accept
      if (isUpdated) writeTestFile(folder, own, { ...test, expect: result.actual })
      results.push({ ...result, file: own, ...(isUpdated && { passed: true, updated: true }) })
    }
  }
  return {
    name: normal.name,
    file,
    results,
    coverage: coverage ?? { steps: 0, not_run: [], branches_not_run: [] },
  }
}

const both = (one: TestCoverage, other: TestCoverage): TestCoverage => ({
  steps: one.steps,
  not_run: one.not_run.filter((step) => other.not_run.includes(step)),
  branches_not_run: one.branches_not_run.filter((branch) => other.branches_not_run.includes(branch)),
})

function strayTests(flows: readonly FolderFlow[], tests: readonly TestFile[]): FolderFault[] {
  const known = new Set(flows.map(({ normal }) => normal.id))
  return tests.flatMap(({ file, test }) =>
    known.has(test.flow.toLowerCase())
      ? []
      : [{ file, line: null, message: `tests the flow ${test.flow}, which has no file here` }],
  )
}

const isMeant = ({ file, normal }: FolderFlow, wanted: string) =>
  [file, file.replace(/\.ya?ml$/i, ''), normal.name, normal.id].includes(wanted)

const describeFault = ({ file, line, message }: FolderFault) =>
  `${file}${line === null ? '' : `:${line}`}: ${message}`

const MOST_SHOWN = 20

function describeResult({
  flow,
  name,
  passed,
  duration_ms: duration,
  failures,
  updated,
}: FlowTestResult & { readonly flow: string; readonly updated?: true }): string {
  if (updated) return `updated  ${flow} › ${name}`
  if (passed) return `ok       ${flow} › ${name} (${duration} ms)`
  return [
    `FAILED   ${flow} › ${name}`,
    ...failures.flatMap(({ message, differences }) => [
      `         ${message}`,
      ...differences
        .slice(0, MOST_SHOWN)
        .flatMap(({ path, expected, got }) => [
          `           ${path || '(all of it)'}`,
          `             - ${expected === undefined ? '(nothing expected)' : shortly(expected as Data)}`,
          `             + ${got === undefined ? '(nothing)' : shortly(got as Data)}`,
        ]),
      ...(differences.length > MOST_SHOWN
        ? [`           … and ${differences.length - MOST_SHOWN} more`]
        : []),
    ]),
  ].join('\n')
}

function describeCoverage({
  name,
  coverage: { steps, not_run: missed, branches_not_run: branches },
}: Tested): string {
  return [
    `${name}: ${steps - missed.length} of ${steps} steps ran`,
    ...missed.map((step) => `  never run: ${step}`),
    ...branches.map((branch) => `  never entered: ${branch}`),
  ].join('\n')
}

const LONGEST_VALUE = 200

function shortly(value: Data): string {
  const text = writeJson(value)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
