/** Numbers that the specification or the contract states. Those marked as settings can be changed by the user. */
export const LIMITS = {
  /** Steps of one run that the history keeps; of those behind them the failed ones alone. */
  shownSteps: 10_000,
  /** setting */ webhookBodyBytes: 5_242_880,
  /** setting */ bodyBytes: 1_048_576,
  /** setting */ fileBytes: 104_857_600,
  largeBodyBytes: 5_242_880,
  /** Of an import that is an uploaded file. */
  importFileBytes: 33_554_432,
  jsonDepth: 64,
  jsonValues: 500_000,
  queryNames: 200,
  formFields: 1_000,
  syncWebhookMs: 30_000,
  /** setting */ webhookRequests: 300,
  /** setting */ webhookWindowSeconds: 300,
  noteLength: 255,
  expirationDays: 36_500,
  listPageSize: 50,
} as const
