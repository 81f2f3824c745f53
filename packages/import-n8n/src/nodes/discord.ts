import { say } from '@millrace/jinja/said'
import { textOf } from '../source/plain-json.ts'
import { refuse } from '../source/untranslatable.ts'
import { locate, serviceNode } from './service.ts'

export const discordNode = serviceNode({
  connector: 'f01640fa-912e-43ad-92e8-edac7d157917',
  usual: { resource: 'channel', operation: { channel: 'create', message: 'send' } },
  actions: {
    'message.send': {
      action: 'send_message',
      takes: {
        guildId: null,
        sendTo: (value) => (value === 'channel' ? {} : refuse(say`writes to a user`)),
        channelId: (value) => ({
          channel_id: locate(value, { url: /^https:\/\/discord\.com\/channels\/[0-9]+\/([0-9]+)/ }).value,
        }),
        content: 'content',
        'options.tts': 'tts',
      },
      usual: { content: '' },
      check({ node }) {
        const signsIn = textOf(node.parameters['authentication']) || 'botToken'
        return signsIn === 'botToken' ? undefined : refuse(say`signs in with ${signsIn.slice(0, 40)}`)
      },
    },
  },
})
