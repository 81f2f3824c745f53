import { say } from '../../../../shared/contract/base/message.ts'
import { type TunnelProvider, TunnelProblem, untilAborted } from './provider.ts'

/** Uses a URL that already leads to Millrace, through the user's own proxy. */
export function createOwnUrl(url: string | null, header: string | null): TunnelProvider {
  return {
    clientHeader: header,
    async run({ signal, onUrl }) {
      if (url === null) {
        throw new TunnelProblem(say('The URL is missing'), say('Enter the public URL of your proxy'), {
          needsUser: true,
        })
      }
      onUrl(url)
      await untilAborted(signal).promise
    },
  }
}
