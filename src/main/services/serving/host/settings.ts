import { say } from '../../../../shared/contract/base/message.ts'
import { resolve } from 'node:path'
import { AppError, fieldErrors } from '../../../../shared/contract/base/errors.ts'
import { SESSION_SETTINGS, type Settings } from '../../../../shared/contract/settings.ts'
import type { Store } from '../../../store/index.ts'
import type { ConnectorAuthsService } from '../../reaching/auths/connector-auths.ts'
import type { ClosedPlaces } from '../../keeping/files/closed-places.ts'
import type { Caller } from '../../kit/caller.ts'
import type { Clock } from '../../../engine/ports.ts'
import type { SecureRandom } from '../../kit/ports.ts'
import { keptOf, readAlarmSettings, writeAlarmSettings } from './alarm-settings.ts'
import type { EventsService } from '../../kit/live-events.ts'
import { sentKeys } from '../../kit/patch.ts'

export type SettingsService = ReturnType<typeof createSettingsService>

type SettingsPatch = { readonly [K in keyof Settings]?: Settings[K] | undefined }

export interface SettingsOptions {
  readonly store: Pick<Store, 'alarmReceivers' | 'flows' | 'settings' | 'write'>
  readonly connectorAuths: Pick<ConnectorAuthsService, 'read'>
  readonly events: Pick<EventsService, 'emit' | 'listen'>
  readonly random: Pick<SecureRandom, 'uuid'>
  readonly clock: Pick<Clock, 'now'>
  readonly closedPlaces: ClosedPlaces
  /** Settings from arguments and the environment; they take precedence over stored ones. */
  readonly overrides?: Partial<Settings>
}

export function createSettingsService(options: SettingsOptions) {
  const { store, connectorAuths, events, random, clock, closedPlaces, overrides = {} } = options
  let settings = read()
  // Some of the settings are alarms, which have their own routes.
  events.listen(({ noun }) => {
    if (noun === 'settings') settings = read()
  })

  function read(): Settings {
    const stored = store.settings.get()
    return { ...stored, ...readAlarmSettings(stored, store.alarmReceivers.all()), ...overrides }
  }

  /** Call it inside a write. */
  function save(patch: SettingsPatch): void {
    writeAlarmSettings({
      patch,
      before: readAlarmSettings(store.settings.get(), store.alarmReceivers.all()),
      receivers: store.alarmReceivers,
      newId: random.uuid,
      at: new Date(clock.now()).toISOString(),
    })
    store.settings.update(keptOf(sentKeys(patch)))
  }

  /** The target of an alarm must exist when it is chosen, and the caller must be able to see it. */
  function requireTargets(
    { alarms, alarm_mail: mail, event_hook: hook }: SettingsPatch,
    caller: Caller,
  ): void {
    requireFlow('alarms.flow_id', alarms?.flow_id, settings.alarms.flow_id)
    requireFlow('event_hook.flow_id', hook?.flow_id, settings.event_hook?.flow_id)
    if (!mail || mail.auth_id === settings.alarm_mail?.auth_id) return
    try {
      connectorAuths.read(caller, mail.auth_id)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      throw fieldErrors({
        'alarm_mail.auth_id': [
          say('there is no connector auth "{{auth_id}}"; choose another one', { auth_id: mail.auth_id }),
        ],
      })
    }
  }

  function requireFlow(
    field: string,
    id: string | null | undefined,
    before: string | null | undefined,
  ): void {
    if (id && id !== before && store.flows.get(id) === null)
      throw fieldErrors({ [field]: [say('there is no flow "{{id}}"; choose another one, or null', { id })] })
  }

  return {
    /** The current settings, from memory. */
    current: () => settings,
    /**
     * Absent keys stay unchanged.
     *
     * @throws AppError `forbidden` if a token tries to change a setting that exposes this machine, `validation` if a
     *   folder is closed to flows
     */
    async update(patch: SettingsPatch, caller: Caller): Promise<Settings> {
      if (caller.kind === 'token') requireUnchanged(patch, settings)
      requireOpen(patch.file_folders ?? [], settings.file_folders, closedPlaces)
      requireTargets(patch, caller)
      await store.write(() => save(patch))
      events.emit({ type: 'updated', noun: 'settings', id: null })
      return settings
    },
  }
}

/** Accepts unchanged values, because a client that reads, edits and writes settings sends all of them. */
function requireUnchanged(patch: SettingsPatch, settings: Settings): void {
  const changed = SESSION_SETTINGS.filter(
    (name) => patch[name] !== undefined && JSON.stringify(patch[name]) !== JSON.stringify(settings[name]),
  )
  if (changed.length === 0) return
  throw new AppError(
    'forbidden',
    say("{{names}} can't be changed with a token; change it in Settings, or remove it", {
      names: changed.join(' and '),
    }),
  )
}

/**
 * Folders that were allowed before aren't checked again; one that has since been closed is rejected when it is used.
 */
function requireOpen(folders: readonly string[], known: readonly string[], places: ClosedPlaces): void {
  const problems = folders.flatMap((folder, at) => {
    // After a link, the system resolves `..` differently than the path suggests.
    const closed = known.includes(folder)
      ? null
      : (places.closedBy(folder) ?? places.closedBy(resolve(folder)))
    return closed === null
      ? []
      : [
          [
            `file_folders[${at}]`,
            [say("is in {{folder}}, which flows can't use; choose another folder", { folder: closed })],
          ] as const,
        ]
  })
  if (problems.length > 0) throw fieldErrors(Object.fromEntries(problems))
}
