/** The protocol's own checks, of both its generations. They have no token, so a proxy adds one. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { installTool } from '../../../scripts/lib/tools.ts'
import type { StepInput } from '../../../src/shared/contract/steps.ts'
import { startFlowApp } from '../../helpers/flow-app.ts'
import { runCommand } from '../../helpers/run-command.ts'
import { newFolder } from '../../helpers/store.ts'
import { session } from '../../helpers/test-server.ts'
import { startThirdPartyApi } from '../../helpers/third-party-api.ts'

const CLI = join(
  installTool('tools/conformance'),
  'node_modules/@modelcontextprotocol/conformance/dist/index.js',
)

/** Prompts, resources, completion, logging, content other than text, and questions to the client's user; and the tools to test these with. */
const NOT_OFFERED = [
  /^(prompts|resources|completion|logging|elicitation|input-required-result|tasks|json-schema|http-custom-header)-/,
  /^tools-call-(image|audio|embedded-resource|mixed-content|with-logging|sampling|elicitation):/,
  /^server-stateless:.*(undeclared-capability|missing-capability|independent-requests|without-loglevel)/,
  /^caching:.*(prompts|resources)-/,
]

interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

test.each([
  ['2026-07-28', ['server-stateless', 'tools-call-with-progress', 'caching', 'http-header-validation']],
  ['2025-11-25', ['server-initialize', 'ping', 'tools-call-with-progress', 'server-sse-multiple-streams']],
])('the checks of %s that concern tools pass', async (revision, among) => {
  const app = await startFlowApp({ settings: { mcp_server: true } })
  const heard = Promise.withResolvers<void>()
  const api = await startThirdPartyApi((_request, response) => {
    void heard.promise.then(() => response.writeHead(200).end('"done"'))
  })
  const offer = (name: string, step: StepInput) =>
    app.addFlow([step], { name, settings: { mcp_tool: { input_schema: null } } })
  await offer('Test simple text', { ref_id: 'text', type: 'set', config: { values: { a: 1 } } })
  await offer('Test error handling', {
    ref_id: 'halt',
    type: 'stop',
    config: { status: 'error', message: 'No stock' },
  })
  await offer('Test tool with progress', { ref_id: 'call', type: 'rest', config: { url: api.url } })

  let progress = 0
  const url = await startProxy(app.port, (sent) => {
    progress += sent.split('notifications/progress').length - 1
    if (progress >= 3) heard.resolve()
  })
  const results = join(await newFolder(), 'results')
  const args = ['server', '--url', `${url}/v1/mcp`, '--requirements', revision, '-o', results]
  await runCommand(process.execPath, [CLI, ...args])
  const checks = readdirSync(results).flatMap((folder) => {
    const scenario = folder.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1')
    const read = JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[]
    return read.map((check) => ({ scenario, ...check }))
  })
  const failed = checks
    .filter(({ status }) => status === 'FAILURE')
    .map(({ scenario, id, errorMessage = '' }) => `${scenario}:${id} ${errorMessage}`)
    .filter((line) => !NOT_OFFERED.some((part) => part.test(line)))
  const passed = among.filter((scenario) => checks.some((one) => one.scenario === scenario))
  expect({ failed, passed }).toEqual({ failed: [], passed: among })
})

/** @param hear called with what the server sends */
async function startProxy(port: number, hear: (sent: string) => void): Promise<string> {
  const proxy = createServer((incoming, response) => {
    const { method, url: path } = incoming
    const headers = { ...incoming.headers, authorization: session.authorization }
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      response.flushHeaders()
      answer.on('data', (chunk: Buffer) => hear(chunk.toString()))
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    outgoing.on('error', () => response.destroy())
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
