import { expect, test } from 'vitest'
import { EXIT, HostError } from '../src/main/host/machine/exit-codes.ts'
import { startOnFreePort, whyNoPort } from '../src/main/host/machine/tcp-port.ts'

/** A computer on which some ports can't be opened. */
async function startWhere(codeOf: (port: number) => string | null, wanted = 4747) {
  const tried: number[] = []
  const reasons: string[] = []
  const start = async (port: number) => {
    tried.push(port)
    const code = port === 0 ? null : codeOf(port)
    if (code === null) return port
    throw new HostError(EXIT.portTaken, code, { cause: Object.assign(new Error(code), { code }) })
  }
  const port = await startOnFreePort(wanted, start, (why) => reasons.push(why))
  return { port, tries: tried.length, reasons }
}

test('after a port in use the next one is tried; after one reserved by the system, one beyond the reserved range', async () => {
  const inUse = 'Port 4747 is in use by another program'
  const notAllowed = "This user isn't allowed to open port 4747, only those above 1023"
  expect({
    free: await startWhere(() => null),
    taken: await startWhere((port) => (port < 4750 ? 'EADDRINUSE' : null)),
    // Hyper-V: several ranges of a hundred ports, one after the other.
    kept: await startWhere((port) => (port < 5000 ? 'EACCES' : null)),
    none: await startWhere(() => 'EADDRINUSE'),
    atTheEnd: await startWhere(() => 'EACCES', 65_500),
  }).toEqual({
    free: { port: 4747, tries: 1, reasons: [] },
    taken: { port: 4750, tries: 4, reasons: [inUse] },
    kept: { port: 5047, tries: 4, reasons: [notAllowed] },
    none: { port: 0, tries: 21, reasons: [inUse] },
    atTheEnd: { port: 0, tries: 2, reasons: [notAllowed.replace('4747', '65500')] },
  })
})

test('on Windows the reason names what reserves the port, and how to list reserved ports', () => {
  expect([whyNoPort(4747, 'EACCES', 'win32'), whyNoPort(4747, 'EINVAL', 'win32')]).toEqual([
    'Windows reserves port 4747, for Hyper-V for example ("netsh int ipv4 show excludedportrange protocol=tcp" lists such ports)',
    null,
  ])
})
