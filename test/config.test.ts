import { describe, expect, test } from 'vitest'
import { readConfig, type ConfigSource } from '../src/main/host/config.ts'
import { defaultFolders } from '../src/main/host/folder/default-folders.ts'

const HEX = '0123456789abcdef'.repeat(4)
const on = (source: ConfigSource) =>
  readConfig({ environment: {}, platform: 'linux', home: '/home/ada', ...source })

/** The message of the rejection. */
function refusal(environment: NodeJS.ProcessEnv, given: ConfigSource['arguments'] = {}): string {
  try {
    on({ environment, arguments: given })
    return 'accepted'
  } catch (error) {
    return `${(error as { exitCode: number }).exitCode}: ${(error as Error).message}`
  }
}

describe('the configuration', () => {
  test('has the defaults without arguments and variables', () => {
    expect(on({})).toEqual({
      port: 4747,
      portIsGiven: false,
      dataDir: '/home/ada/.local/share/millrace',
      dataDirIsGiven: false,
      keyFile: '/home/ada/.config/millrace/master.key',
      masterKey: null,
      unlockedKey: null,
      masterKeyFile: null,
      webhookRateLimit: undefined,
      isDevelopment: false,
      webhookListen: null,
      trustedProxies: undefined,
      pageUrl: undefined,
    })
  })

  test('an argument wins over a variable, a variable over the default', () => {
    const environment = { MILLRACE_PORT: '5000', MILLRACE_DATA_DIR: '/srv/a' }
    expect([
      on({ environment }),
      on({ environment, arguments: { port: '0', dataDir: '/srv/b' } }),
      on({ environment: { MILLRACE_PORT: '', MILLRACE_DATA_DIR: '' } }),
    ]).toMatchObject([
      { port: 5000, dataDir: '/srv/a' },
      { port: 0, dataDir: '/srv/b' },
      { port: 4747, dataDir: '/home/ada/.local/share/millrace' },
    ])
  })

  test('compiled code goes to the cache folder of the platform', () => {
    const cacheOn = (platform: NodeJS.Platform, environment: NodeJS.ProcessEnv = {}) =>
      defaultFolders(platform, environment, '/home/ada').cache.replaceAll('\\', '/')
    expect({
      linux: cacheOn('linux'),
      xdg: cacheOn('linux', { XDG_CACHE_HOME: '/c' }),
      mac: cacheOn('darwin'),
      windows: cacheOn('win32', { LOCALAPPDATA: 'C:/Local' }),
    }).toEqual({
      linux: '/home/ada/.cache/millrace',
      xdg: '/c/millrace',
      mac: '/home/ada/Library/Caches/Millrace',
      windows: 'C:/Local/Millrace/Cache',
    })
  })

  test.each([
    ['linux', '/home/ada'],
    ['darwin', '/Users/ada'],
    ['win32', 'C:/Users/ada'],
  ] as const)(
    'on %s the folder of the window is separate from all others, even if case is ignored',
    (platform, home) => {
      const { desktop, ...others } = defaultFolders(platform, {}, home)
      const contain = (a: string, b: string) => `${a}/`.toLowerCase().startsWith(`${b}/`.toLowerCase())
      expect(
        Object.values(others).filter((other) => contain(desktop, other) || contain(other, desktop)),
      ).toEqual([])
    },
  )

  test('data and key are where programs of the platform keep theirs', () => {
    const folders = ({ dataDir, keyFile }: ReturnType<typeof on>) => [dataDir, keyFile]
    expect({
      xdg: folders(on({ environment: { XDG_DATA_HOME: '/d', XDG_CONFIG_HOME: '/c' } })),
      relativeXdg: folders(on({ environment: { XDG_DATA_HOME: 'd', XDG_CONFIG_HOME: 'c' } })),
      mac: folders(on({ platform: 'darwin', home: '/Users/ada' })),
    }).toEqual({
      xdg: ['/d/millrace', '/c/millrace/master.key'],
      relativeXdg: ['/home/ada/.local/share/millrace', '/home/ada/.config/millrace/master.key'],
      mac: [
        '/Users/ada/Library/Application Support/Millrace',
        '/Users/ada/Library/Application Support/Millrace Key/master.key',
      ],
    })
  })

  test('the key is never inside the data folder', () => {
    expect([
      on({ arguments: { dataDir: '/home/ada/.config/millrace' } }).keyFile,
      on({ arguments: { dataDir: '/home/ada' } }).keyFile,
      on({ arguments: { dataDir: '/home/ada/.config/millrace-2' } }).keyFile,
      on({ environment: { XDG_CONFIG_HOME: '/d/..c' }, arguments: { dataDir: '/d' } }).keyFile,
      on({
        platform: 'darwin',
        home: '/Users/ada',
        arguments: { dataDir: '/users/ADA/library/Application Support/millrace KEY' },
      }).keyFile,
    ]).toEqual([
      '/home/ada/.config/millrace.key',
      '/home/ada.key',
      '/home/ada/.config/millrace/master.key',
      '/d.key',
      '/users/ADA/library/Application Support/millrace KEY.key',
    ])
  })

  test('a master key is 32 bytes, as hexadecimal digits or base64', () => {
    const bytes = Buffer.from(HEX, 'hex')
    const read = (text: string) => on({ environment: { MILLRACE_MASTER_KEY: text } }).masterKey
    expect([read(HEX), read(bytes.toString('base64')), read(bytes.toString('base64url'))]).toEqual([
      bytes,
      bytes,
      bytes,
    ])
  })

  test('a webhook rate limit is requests/seconds, or off', () => {
    const read = (text: string) => on({ environment: { MILLRACE_WEBHOOK_RATE_LIMIT: text } }).webhookRateLimit
    expect([read('300/300'), read('off'), read('')]).toEqual([
      { requests: 300, seconds: 300 },
      null,
      undefined,
    ])
  })

  test.each([
    [
      { MILLRACE_PORT: '65536' },
      '2: MILLRACE_PORT is "65536", but must be a whole number from 0 to 65535 (0 for any free port)',
    ],
    [
      { MILLRACE_PORT: '-1' },
      '2: MILLRACE_PORT is "-1", but must be a whole number from 0 to 65535 (0 for any free port)',
    ],
    [
      { MILLRACE_WEBHOOK_RATE_LIMIT: '0/300' },
      '2: MILLRACE_WEBHOOK_RATE_LIMIT is "0/300", but must read requests/seconds, like 300/300, or off',
    ],
    [
      { MILLRACE_WEBHOOK_RATE_LIMIT: 'none' },
      '2: MILLRACE_WEBHOOK_RATE_LIMIT is "none", but must read requests/seconds, like 300/300, or off',
    ],
    [
      { MILLRACE_WEBHOOK_LISTEN: '4750' },
      '2: MILLRACE_WEBHOOK_LISTEN is "4750", but must read HOST:PORT, like 127.0.0.1:4750 or [::1]:4750',
    ],
    [
      { MILLRACE_WEBHOOK_LISTEN: '0.0.0.0:4750' },
      '2: MILLRACE_WEBHOOK_LISTEN is 0.0.0.0:4750, which other computers reach without TLS: put a proxy with TLS in front and name its IP address in MILLRACE_TRUSTED_PROXIES, or add --insecure',
    ],
    [
      { MILLRACE_TRUSTED_PROXIES: '10.0.0.2, caddy' },
      '2: MILLRACE_TRUSTED_PROXIES has "caddy", but must have IP addresses and ranges, separated by commas, like 10.0.0.2,172.16.0.0/12',
    ],
  ])('%j is rejected with a sentence', (environment, sentence) => {
    expect(refusal(environment)).toBe(sentence)
  })

  test('the webhook listener is HOST:PORT; if other computers can reach it, it needs a proxy or --insecure', () => {
    const read = (webhookListen: string, environment: NodeJS.ProcessEnv = {}, insecure = false) =>
      on({ environment, arguments: { webhookListen, insecure } }).webhookListen
    expect([
      read('127.0.0.1:4750'),
      read('[::1]:0'),
      read('0.0.0.0:4750', {}, true),
      read('[::]:4750', { MILLRACE_INSECURE: '1' }),
      read('hooks.lan:80', { MILLRACE_TRUSTED_PROXIES: '10.0.0.2' }),
      read('', { MILLRACE_WEBHOOK_LISTEN: '127.0.0.1:1' }),
    ]).toEqual([
      { host: '127.0.0.1', port: 4750, onlyProxies: false },
      { host: '::1', port: 0, onlyProxies: false },
      { host: '0.0.0.0', port: 4750, onlyProxies: false },
      { host: '::', port: 4750, onlyProxies: false },
      { host: 'hooks.lan', port: 80, onlyProxies: true },
      null,
    ])
  })

  test('an invalid master key is rejected without being repeated', () => {
    for (const text of ['secret', `${HEX}0`, HEX.slice(1), '!'.repeat(43)]) {
      const sentence = refusal({ MILLRACE_MASTER_KEY: text })
      expect(sentence).toMatch(/^2: MILLRACE_MASTER_KEY must be 32 bytes/)
      expect(sentence).not.toContain(text)
    }
  })

  test('an invalid --port is reported by its name', () => {
    expect(refusal({}, { port: 'web' })).toMatch(/^2: --port is "web"/)
  })
})
