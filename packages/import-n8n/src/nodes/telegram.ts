import { say } from '@millrace/jinja/said'
import { childOf, isRecord, type Plain } from '../source/plain-json.ts'
import { listOf } from '../source/workflow.ts'
import { refuse } from '../source/untranslatable.ts'
import type { NodeContext } from './node-context.ts'
import { type ActionCall, serviceNode, type Take, withoutAttribution } from './service.ts'

const message = { chatId: 'chat_id', text: 'text' }

/** Parameters that n8n sends unchanged. */
const fields = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [`additionalFields.${name}`, name]))

const COMMON = fields(['disable_notification', 'message_thread_id', 'parse_mode', 'reply_to_message_id'])

/** n8n offers options that Telegram ignores for some messages. */
const ignored = (names: readonly string[]): Readonly<Record<string, null>> =>
  Object.fromEntries(names.map((name) => [`additionalFields.${name}`, null]))

const replyMarkup: Take = (kind, { node: { parameters } }) => {
  switch (kind) {
    case 'none':
      return {}
    case 'forceReply':
    case 'replyKeyboardRemove':
      return { reply_markup: childOf(parameters, kind) }
    case 'inlineKeyboard':
      return { reply_markup: { inline_keyboard: buttonsOf(parameters[kind]) } }
    case 'replyKeyboard':
      return {
        reply_markup: {
          keyboard: buttonsOf(parameters[kind]),
          ...childOf(parameters, 'replyKeyboardOptions'),
        },
      }
    default:
      return refuse(say`uses an expression for its keyboard`)
  }
}

const MARKUP: Readonly<Record<string, Take>> = {
  replyMarkup,
  forceReply: null,
  replyKeyboardRemove: null,
  inlineKeyboard: null,
  replyKeyboard: null,
  replyKeyboardOptions: null,
}

function buttonsOf(keyboard: unknown): Plain[][] {
  if (!isRecord(keyboard)) return refuse(say`uses an expression for its keyboard`)
  return listOf(keyboard['rows']).flatMap((row) => {
    const buttons = isRecord(row) ? childOf(row, 'row')['buttons'] : undefined
    if (buttons === undefined) return []
    return [
      listOf(buttons)
        .filter(isRecord)
        .map((button) => ({ text: button['text'] ?? '', ...childOf(button, 'additionalFields') })),
    ]
  })
}

/** Sends a file by its URL or by its ID at Telegram. Files from the workflow aren't supported. */
function sendFile(kind: string, own: readonly string[] = [], others: ActionCall['takes'] = {}): ActionCall {
  return {
    action: `send_${kind}`,
    takes: {
      chatId: 'chat_id',
      file: kind,
      binaryData: noFile,
      ...COMMON,
      ...MARKUP,
      ...fields(own),
      ...others,
    },
  }
}

const noFile: Take = (value) => (value === false ? {} : refuse(say`sends a file`))

export const telegramNode = serviceNode({
  connector: '12a7c6e2-886c-4d6a-849a-ca9b919b4a6c',
  usual: {
    resource: 'message',
    operation: { message: 'sendMessage', chat: 'get', callback: 'answerQuery', file: 'get' },
  },
  actions: {
    'message.sendMessage': {
      action: 'send_message',
      takes: {
        ...message,
        ...COMMON,
        ...MARKUP,
        'additionalFields.appendAttribution': null,
        'additionalFields.disable_web_page_preview': 'disable_web_page_preview',
      },
      usual: { parse_mode: 'Markdown' },
      check(context) {
        const { node } = context
        const option = childOf(node.parameters, 'additionalFields')['appendAttribution']
        withoutAttribution(context, option, 1.1)
        return node.version >= 1.2 ? { disable_web_page_preview: true } : undefined
      },
    },
    'message.editMessageText': {
      action: 'edit_message',
      takes: {
        ...message,
        ...COMMON,
        ...ignored(['disable_notification', 'message_thread_id', 'reply_to_message_id']),
        ...MARKUP,
        messageId: 'message_id',
        messageType: (value) => (value === 'message' ? {} : refuse(say`edits an inline message`)),
        'additionalFields.disable_web_page_preview': 'disable_web_page_preview',
      },
    },
    'message.deleteMessage': {
      action: 'delete_message',
      takes: { chatId: 'chat_id', messageId: 'message_id' },
    },
    'message.sendChatAction': {
      action: 'send_chat_action',
      takes: { chatId: 'chat_id', action: 'action' },
      usual: { action: 'typing' },
    },
    'message.sendLocation': {
      action: 'send_location',
      takes: {
        chatId: 'chat_id',
        ...COMMON,
        ...ignored(['parse_mode']),
        ...MARKUP,
        latitude: 'latitude',
        longitude: 'longitude',
      },
      usual: { latitude: 0, longitude: 0 },
    },
    'message.sendPhoto': sendFile('photo', ['caption']),
    'message.sendVideo': sendFile('video', ['caption', 'duration', 'height', 'width']),
    'message.sendAudio': sendFile('audio', ['caption', 'duration', 'performer', 'title']),
    'message.sendDocument': sendFile('document', ['caption']),
    'message.sendAnimation': sendFile('animation', ['caption', 'duration', 'height', 'width']),
    'message.sendSticker': sendFile('sticker', [], ignored(['parse_mode'])),
    'chat.get': { action: 'get_chat', takes: { chatId: 'chat_id' } },
    'file.get': {
      action: 'get_file',
      takes: { fileId: 'file_id', download: null },
      check: ({ node }: NodeContext) => {
        const { download } = node.parameters
        return download === false ? undefined : refuse(say`downloads a file`)
      },
    },
    'callback.answerQuery': {
      action: 'answer_callback_query',
      takes: {
        queryId: 'callback_query_id',
        ...fields(['cache_time', 'show_alert', 'text', 'url']),
      },
    },
  },
})
