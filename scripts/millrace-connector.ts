/** Writes `resources/connectors/millrace.json` anew; a test says when that is due. */
import { writeFileSync } from 'node:fs'
import { createMillraceConnector } from './lib/millrace-connector.ts'

const file = new URL('../resources/connectors/millrace.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(createMillraceConnector(), null, 2)}\n`)
