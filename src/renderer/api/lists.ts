/** The lists that several screens show, each as a whole. */
import { listDataTablesRoute } from '../../shared/contract/data/data-tables.ts'
import { listFlowsRoute } from '../../shared/contract/flows.ts'
import { readSettingsRoute } from '../../shared/contract/settings.ts'
import { listTeamsRoute } from '../../shared/contract/teams.ts'
import { listTokensRoute } from '../../shared/contract/tokens.ts'
import { listUsersRoute, readOwnUserRoute } from '../../shared/contract/users.ts'
import { resource } from './resource.ts'

const byName = { sort: 'name' }

/** Newest first. */
export const FLOWS = resource(listFlowsRoute, { nouns: ['flow'], all: true })
export const DATA_TABLES = resource(listDataTablesRoute, { nouns: ['data_table'], query: byName, all: true })
export const OWN_USER = resource(readOwnUserRoute, { nouns: ['user'] })
export const USERS = resource(listUsersRoute, { nouns: ['user'], query: byName, all: true })
export const SETTINGS = resource(readSettingsRoute, { nouns: ['settings'] })
export const TEAMS = resource(listTeamsRoute, { nouns: ['team', 'user'], query: byName, all: true })
export const TOKENS = resource(listTokensRoute, { nouns: ['token'], all: true })
