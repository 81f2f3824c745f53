import { useNavigate } from '@tanstack/react-router'
import {
  ChevronsUpDown,
  CircleUserRound,
  LogOut,
  Ticket,
  UserRoundCheck,
  UserRoundX,
  Users,
} from '../../lib/icons.tsx'
import { OWN_USER, USERS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { useResource } from '../../api/resource.ts'
import { signOut } from '../../api/remote-session.ts'
import { attempt } from '../../components/screen/toast.tsx'
import { IconButton } from '../../components/controls/button.tsx'
import { Menu } from '../../components/controls/menu.tsx'
import { t } from '../../lib/i18n.ts'
import { userName } from '../../lib/format.ts'

/** The user the page acts as, and the others it could act as. */
export function UserMenu({ narrow }: { readonly narrow: boolean }) {
  const navigate = useNavigate()
  const { data: user } = useResource(OWN_USER)
  const api = useApi()
  const { remote } = api
  const { data: users } = useResource(api.may('users', 'read') ? USERS : null)
  if (user === null) return null

  // Only on the computer that runs Millrace can the page act as somebody else.
  const others = remote === null ? (users ?? []).filter(({ id }) => id !== user.id) : []
  const label = t('Signed in as {{name}}', { name: userName(user) })
  return (
    <Menu
      align="start"
      trigger={
        narrow ? (
          <IconButton label={label} icon={CircleUserRound} />
        ) : (
          <button
            type="button"
            aria-label={label}
            className="flex h-8 w-full items-center gap-2.5 rounded px-2.5 text-muted hover:bg-hover hover:text-text data-popup-open:bg-hover"
          >
            <CircleUserRound size={15} aria-hidden className="shrink-0" />
            <span className="min-w-0 flex-1 truncate text-left">{userName(user)}</span>
            <ChevronsUpDown size={13} aria-hidden className="shrink-0" />
          </button>
        )
      }
      groups={[
        api.actingAs() === null
          ? []
          : [{ label: t('Stop acting as this user'), icon: UserRoundX, onSelect: () => api.actAs(null) }],
        others.slice(0, MOST_SHOWN).map(({ id, name, email }) => ({
          label: t('Act as {{name}}', { name: userName({ name }) }),
          ...(email === '' ? {} : { hint: email }),
          icon: UserRoundCheck,
          onSelect: () => api.actAs(id),
        })),
        [
          {
            label: t('Access tokens'),
            icon: Ticket,
            onSelect: () => void navigate({ to: '/tokens' }),
          },
          {
            label: t('Users and teams'),
            icon: Users,
            onSelect: () => void navigate({ to: '/users', search: {} }),
          },
        ],
        remote === null ? [] : [{ label: t('Sign out'), icon: LogOut, onSelect: () => void leave() }],
      ].filter((group) => group.length > 0)}
    />
  )
}

const leave = () =>
  attempt(t('Couldn’t sign out'), async () => {
    await signOut(window)
    window.location.assign('/')
  })

/** With more users, the list of users is the better place to choose from. */
const MOST_SHOWN = 12
