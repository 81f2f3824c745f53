import { MCP_PATH } from '../../../shared/contract/reach/mcp.ts'
import { EXIT, HostError } from '../../host/machine/exit-codes.ts'
import type { CommandContext } from '../support/command-context.ts'
import { requireRunningHost } from '../support/with-host.ts'

/** Serves AI clients that start a program instead of calling a URL. */
export async function connectMcp({ config }: CommandContext): Promise<void> {
  const token = process.env.MILLRACE_TOKEN
  if (!token) {
    throw new HostError(
      EXIT.usage,
      'The environment variable MILLRACE_TOKEN is missing; set it to an access token, which the app creates under Access tokens',
    )
  }
  const { bridgeMcp } = await import('../support/mcp-bridge.ts')
  await bridgeMcp({
    input: process.stdin,
    output: process.stdout,
    token,
    findUrl: async () => `${(await requireRunningHost(config)).url}${MCP_PATH}`,
  })
}
