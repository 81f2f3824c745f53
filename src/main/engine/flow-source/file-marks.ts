/** First key of every file; its value is the version of the format. */
export const MARK = 'millrace_flow'
export const VERSION = 1

/** Names the schema of the file, for editors. */
export const SCHEMA_KEY = '$schema'
