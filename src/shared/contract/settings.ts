import { z } from 'zod'
import { text } from './base/common.ts'
import { LIMITS } from './base/limits.ts'
import { can, defineRoute } from './base/route.ts'

/** In which the page is written; `system` follows the browser. */
export const LANGUAGES = ['system', 'en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

export const settings = z.strictObject({
  /** Requests of one address within the window, over all flows; null switches the limit off. */
  webhook_rate_limit_requests: z.number().int().min(1).max(1_000_000).nullable(),
  webhook_rate_limit_seconds: z.number().int().min(1).max(86_400),
  webhook_body_limit_bytes: z.number().int().min(1_024).max(104_857_600),
  body_limit_bytes: z.number().int().min(65_536).max(104_857_600),
  /** The largest file that can be uploaded. */
  file_limit_bytes: z.number().int().min(1_024).max(1_073_741_824),
  /** Absolute paths of the folders in which steps may read and write files; none allows none. */
  file_folders: z.array(text(1_000).refine(isAbsolute, 'must be the full path of a folder')).max(20),
  concurrent_runs: z.number().int().min(1).max(100),
  /** Pages of one list; a list that has more fails, and keeps what was read. */
  pagination_max_pages: z.number().int().min(1).max(1_000_000),
  /** Pages without records in a row, of a list that always names a next one. */
  pagination_max_empty_pages: z.number().int().min(1).max(100_000),
  /** Milliseconds that one template may work; the whole program waits for it meanwhile. */
  template_time_limit_ms: z.number().int().min(10).max(10_000),
  /** Megabytes that the history may take; above them the oldest ended runs go first. Null: as much as there is. */
  history_limit_mb: z.number().int().min(10).max(1_000_000).nullable(),
  /** Keeps an index of the words in the history, so that all of it is searched at once; it adds about half its size. */
  search_index: z.boolean(),
  /** Where others reach this program, through a proxy or a tunnel: shown beside the addresses of webhooks. Null: nowhere. */
  public_url: text(2_000).refine(isAddress, 'must begin with http:// or https://').nullable(),
  /** Lets requests that come through a proxy reach all of /v1, not the webhook alone. */
  expose_api: z.boolean(),
  theme: z.enum(['system', 'light', 'dark']),
  language: z.enum(LANGUAGES),
})
export type Settings = z.output<typeof settings>

/** They open this machine to flows or to others: the page alone changes them, no token. */
export const SESSION_SETTINGS = ['file_folders', 'expose_api'] as const satisfies readonly (keyof Settings)[]

export const DEFAULT_SETTINGS: Settings = {
  webhook_rate_limit_requests: LIMITS.webhookRequests,
  webhook_rate_limit_seconds: LIMITS.webhookWindowSeconds,
  webhook_body_limit_bytes: LIMITS.webhookBodyBytes,
  body_limit_bytes: LIMITS.bodyBytes,
  file_limit_bytes: LIMITS.fileBytes,
  file_folders: [],
  concurrent_runs: 10,
  pagination_max_pages: 10_000,
  pagination_max_empty_pages: 100,
  template_time_limit_ms: 200,
  history_limit_mb: 10_000,
  search_index: true,
  public_url: null,
  expose_api: false,
  theme: 'system',
  language: 'system',
}

function isAbsolute(path: string): boolean {
  return /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path)
}

const ADDRESS = z.url({ protocol: /^https?$/ })

function isAddress(address: string): boolean {
  return /^https?:\/\/[^/?#]/i.test(address) && ADDRESS.safeParse(address).success
}

export const readSettingsRoute = defineRoute({
  method: 'GET',
  path: '/v1/settings',
  summary: 'Read the settings',
  access: can('settings', 'read'),
  status: 200,
  item: true,
  result: settings,
})

export const updateSettingsRoute = defineRoute({
  method: 'PUT',
  path: '/v1/settings',
  summary:
    'Change settings; absent keys stay as they are, and file_folders and expose_api are for the page alone',
  access: can('settings', 'update'),
  status: 200,
  item: true,
  body: settings.partial(),
  result: settings,
})
