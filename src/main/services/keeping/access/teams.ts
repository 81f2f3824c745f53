/** Teams: named groups of users. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import type { Team, TeamPatch } from '../../../../shared/contract/teams.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import { toPage, type RecordPage } from '../../kit/pages.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { sentKeys } from '../../kit/patch.ts'

export interface TeamsOptions {
  readonly store: Pick<Store, 'teams' | 'users' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
}

export function createTeamsService({ store, clock, random, events }: TeamsOptions) {
  const now = () => new Date(clock.now()).toISOString()

  /** @throws AppError `not_found` */
  function read(id: string): Team {
    const team = store.teams.get(id)
    if (team === null)
      throw new AppError('not_found', say('There is no team "{{id}}"', { id: id.slice(0, 60) }))
    return team
  }

  function requireSound({ id, name, user_ids: userIds }: Team): void {
    const unknown = userIds.find((userId) => store.users.get(userId) === null)
    if (unknown !== undefined) {
      throw fieldErrors({
        user_ids: [say('isn\'t the ID of a user: "{{id}}"', { id: unknown.slice(0, 60) })],
      })
    }
    const holder = store.teams.findByName(name)
    if (holder !== null && holder.id !== id) {
      throw new AppError('conflict', say('A team "{{name}}" already exists; choose another name', { name }))
    }
  }

  return {
    list(query: ListQuery): RecordPage<Team> {
      const request = parseListQuery(query)
      return toPage(store.teams.list(request), request)
    },
    read,
    /** @throws AppError `conflict` if the name is taken */
    async create({ name, user_ids = [] }: TeamPatch & Pick<Team, 'name'>): Promise<Team> {
      const at = now()
      const team: Team = { id: random.uuid(), name, user_ids, created_at: at, updated_at: at }
      await store.write(() => {
        requireSound(team)
        store.teams.insert(team)
      })
      events.emit({ type: 'created', noun: 'team', id: team.id })
      return team
    },
    /** Absent keys stay unchanged. */
    async update(id: string, patch: TeamPatch): Promise<Team> {
      const team = await store.write(() => {
        const after: Team = { ...read(id), ...sentKeys(patch), updated_at: now() }
        requireSound(after)
        store.teams.update(after)
        return after
      })
      events.emit({ type: 'updated', noun: 'team', id })
      return team
    },
    async remove(id: string): Promise<void> {
      await store.write(() => {
        read(id)
        store.teams.delete(id)
      })
      events.emit({ type: 'deleted', noun: 'team', id })
    },
  }
}
