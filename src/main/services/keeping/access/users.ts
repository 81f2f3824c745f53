/** Users: the person at this machine, who always exists, and any others that were added. */
import { say } from '../../../../shared/contract/base/message.ts'
import type { ListQuery } from '../../../../shared/contract/base/common.ts'
import { AppError } from '../../../../shared/contract/base/errors.ts'
import type { User, UserPatch } from '../../../../shared/contract/users.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { Store } from '../../../store/index.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { listNames, type FlowsUsing } from '../saving/flows-using.ts'
import { parseListQuery } from '../../kit/list-query.ts'
import { toPage, type RecordPage } from '../../kit/pages.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { sentKeys } from '../../kit/patch.ts'

export interface UsersOptions {
  readonly store: Pick<Store, 'users' | 'tokens' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly events: Pick<EventsService, 'emit'>
  readonly flowsUsing: FlowsUsing
}

export function createUsersService({ store, clock, random, events, flowsUsing }: UsersOptions) {
  /** @throws AppError `not_found` */
  function read(id: string): User {
    const user = store.users.get(id)
    if (user === null)
      throw new AppError('not_found', say('There is no user "{{id}}"', { id: id.slice(0, 60) }))
    return user
  }

  function requireFreeEmail({ id, email }: User): void {
    const holder = email === '' ? null : store.users.findByEmail(email)
    if (holder === null || holder.id === id) return
    throw new AppError(
      'conflict',
      say('The email "{{email}}" is already used by the user "{{name}}"', { email, name: holder.name }),
    )
  }

  return {
    list(query: ListQuery): RecordPage<User> {
      const request = parseListQuery(query)
      return toPage(store.users.list(request), request)
    },
    read,
    /** @throws AppError `conflict` if another user has the email address */
    async create({ name, email = '', role = 'member' }: UserPatch & Pick<User, 'name'>): Promise<User> {
      const created_at = new Date(clock.now()).toISOString()
      const user: User = { id: random.uuid(), name, email, role, created_at }
      await store.write(() => {
        requireFreeEmail(user)
        store.users.insert(user)
      })
      events.emit({ type: 'created', noun: 'user', id: user.id })
      return user
    },
    /** Absent keys stay unchanged. */
    async update(id: string, patch: UserPatch): Promise<User> {
      const user = await store.write(() => {
        const after: User = { ...read(id), ...sentKeys(patch) }
        requireFreeEmail(after)
        store.users.update(after)
        return after
      })
      events.emit({ type: 'updated', noun: 'user', id })
      return user
    },
    /**
     * Their tokens are rejected from then on, and connector auths that nobody else can see are deleted, because a
     * deletion must not reveal anything. What was shared with selected users stays with them; everything else goes to
     * the user of this machine. The flows are paused, because the new owner should review them before they run with
     * that user's rights.
     *
     * @throws AppError `conflict` for the user of this machine, and so for the last user; also if a flow uses an auth
     *   that would be deleted, unless forced
     */
    async remove(id: string, { force = false }: { readonly force?: boolean } = {}): Promise<void> {
      const { tokens, flows } = await store.write(() => {
        const { name } = read(id)
        const heir = store.users.local()
        if (heir.id === id) {
          throw new AppError(
            'conflict',
            say('"{{name}}" is the user of this machine and can\'t be deleted; change the name instead', {
              name,
            }),
          )
        }
        const used = force ? [] : store.users.authsSeenAlone(id).flatMap((authId) => flowsUsing({ authId }))
        if (used.length > 0) {
          throw new AppError(
            'conflict',
            say(
              '"{{name}}" can\'t be deleted: the flows {{flows}} use connector auths that nobody else can see; change the flows, or send force=true',
              { name, flows: listNames(used) },
            ),
          )
        }
        const { records } = store.tokens.list(id)
        const at = new Date(clock.now()).toISOString()
        for (const token of records) store.tokens.delete(id, token.id, at)
        return { tokens: records, flows: store.users.delete(id, heir.id) }
      })
      // Ends the event streams that were opened with one of these tokens.
      for (const token of tokens) events.emit({ type: 'deleted', noun: 'token', id: token.id }, [id])
      events.emit({ type: 'deleted', noun: 'user', id })
      for (const flow of flows) events.emit({ type: 'updated', noun: 'flow', ...flow, status: 'paused' })
    },
  }
}
