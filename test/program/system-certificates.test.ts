/** Servers whose certificate comes from an authority that only the system knows. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { FlowRun } from '../../src/shared/contract/flow-runs.ts'
import { startDesktop } from '../helpers/desktop.ts'
import { onLinux } from '../helpers/platform.ts'
import { createHome } from '../helpers/program.ts'
import { selfSigned } from '../helpers/self-signed.ts'
import { callServed } from '../helpers/served-api.ts'

const home = createHome()
const certificate = selfSigned('127.0.0.1')
const file = join(home.folder, 'authority.pem')
writeFileSync(file, certificate.cert)
const server = createServer(certificate, (_request, response) => {
  response.setHeader('Content-Type', 'application/json').end('{"trusted":true}')
}).listen(0, '127.0.0.1')
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await home.remove()
})

async function outputOf(served: { readonly url: string; readonly bearer: string }): Promise<unknown> {
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const call = <T>(path: string, body: object) => callServed<T>(served as never, 'POST', path, body)
  const { id } = await call<{ id: string }>('/v1/flows', {
    name: 'Call',
    steps: [
      { ref_id: 'it', type: 'rest', config: { url } },
      { ref_id: 'end', type: 'stop', config: { status: 'success', message: '{{ it.trusted }}' } },
    ],
  })
  const { status, error } = await call<FlowRun>(`/v1/flows/${id}/run?wait=true`, {})
  return [status, error?.message ?? null]
}

// Windows and macOS have no variable for their store.
test.runIf(onLinux)('are trusted headless and in the desktop app, and strangers are not', async () => {
  const env = { SSL_CERT_FILE: file }
  const served = await home.serve({ env })
  const trusted = await outputOf(served)
  served.process.kill('SIGTERM')
  await served.ended
  const app = startDesktop(home, {}, { ...env, MILLRACE_PORT: '0' })
  const [url] = await app.called('loadURL')
  const bearer = await app.act('invoke', 'desktop:session-bearer', url, true)
  const inApp = await outputOf({ url: String(url), bearer: String(bearer) })
  await app.kill()
  const without = await outputOf(await home.serve())
  expect({ trusted, inApp, without }).toEqual({
    trusted: ['success', null],
    inApp: ['success', null],
    without: ['error', expect.stringContaining('certificate')],
  })
})
