/** Regenerates `resources/connectors/millrace.json`; a test reports when it is stale. */
import { writeFileSync } from 'node:fs'
import { createMillraceConnector } from './lib/millrace-connector.ts'

const file = new URL('../resources/connectors/millrace.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(createMillraceConnector(), null, 2)}\n`)
