import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { UserRoundCheck, Users } from '../../lib/icons.tsx'
import { useMemo, useState } from 'react'
import { createTeamRoute, deleteTeamRoute } from '../../../shared/contract/teams.ts'
import { createUserRoute, deleteUserRoute } from '../../../shared/contract/users.ts'
import type { Team } from '../../../shared/contract/teams.ts'
import type { User } from '../../../shared/contract/users.ts'
import { OWN_USER, TEAMS, USERS } from '../../api/lists.ts'
import { useApi } from '../../api/provider.tsx'
import { cached, useResource } from '../../api/resource.ts'
import { IconButton } from '../../components/controls/button.tsx'
import { actionsColumn, DeleteIcon, timeColumn } from '../../components/values/columns.tsx'
import { DataTable, RowLink } from '../../components/values/data-table.tsx'
import type { Column } from '../../components/values/data-table.tsx'
import { ConfirmDialog } from '../../components/screen/confirm-dialog.tsx'
import { EmptyState } from '../../components/screen/empty-state.tsx'
import { useAddButton } from '../../components/screen/list-screen.tsx'
import { Loaded } from '../../components/screen/loaded.tsx'
import { Page } from '../../components/screen/page.tsx'
import { Tabs } from '../../components/controls/tabs.tsx'
import { announce } from '../../components/screen/toast.tsx'
import { SettingsLinks } from '../../components/screen/screen-links.tsx'
import { english, t } from '../../lib/i18n.ts'
import { userName } from '../../lib/format.ts'
import { DeleteUser } from './delete-user.tsx'
import { TeamDialog } from './team-dialog.tsx'
import { UserDialog } from './user-dialog.tsx'

const route = getRouteApi('/users')

/** The users of Millrace, and their teams. */
export function UsersPage() {
  const { view = 'users', edit } = route.useSearch()
  const navigate = useNavigate({ from: '/users' })
  const { data: users, failure: usersFailure, reload: reloadUsers } = useResource(USERS)
  const { data: allTeams, failure: teamsFailure, reload: reloadTeams } = useResource(TEAMS)
  const teams = allTeams ?? NO_TEAMS

  const isTeams = view === 'teams'
  const close = () => void navigate({ search: { view }, replace: true })
  const addButton = useAddButton({
    label: isTeams ? t('Add team') : t('Add user'),
    group: t('Users'),
    needs: isTeams ? createTeamRoute : createUserRoute,
    onClick: () => void navigate({ search: { view, edit: 'new' } }),
  })
  const user = users?.find(({ id }) => id === edit)
  const team = teams.find(({ id }) => id === edit)

  return (
    <Page title={t('Users and teams')} actions={addButton}>
      <SettingsLinks />
      <Loaded
        value={users}
        failure={usersFailure ?? teamsFailure}
        what={t('the users')}
        onRetry={() => void Promise.all([reloadUsers(), reloadTeams()])}
      >
        {(list) => (
          <Tabs
            label={t('Users and teams')}
            className="flex-1 bg-surface"
            value={view}
            onChange={(next) => void navigate({ search: { view: next }, replace: true })}
            tabs={[
              { value: 'users', label: t('Users'), content: <UserList users={list} teams={teams} /> },
              { value: 'teams', label: t('Teams'), content: <TeamList users={list} teams={teams} /> },
            ]}
          />
        )}
      </Loaded>
      {!isTeams && (edit === 'new' || user !== undefined) ? (
        <UserDialog key={edit} user={user} onClose={close} />
      ) : null}
      {isTeams && (edit === 'new' || team !== undefined) ? (
        <TeamDialog key={edit} team={team} onClose={close} />
      ) : null}
    </Page>
  )
}

const NO_TEAMS: readonly Team[] = []

interface ListProps {
  readonly users: readonly User[]
  readonly teams: readonly Team[]
}

function UserList({ users, teams }: ListProps) {
  const [deleting, setDeleting] = useState<User | null>(null)
  const ownId = useResource(OWN_USER).data?.id ?? null
  const api = useApi()
  const columns = useMemo(
    () => userColumns({ teams, ownId, onActAs: (id) => api.actAs(id), onDelete: setDeleting }),
    [teams, ownId, api],
  )
  return (
    <>
      <DataTable label={t('Users')} noun={t('user')} columns={columns} rows={users} />
      {deleting === null ? null : (
        <DeleteUser key={deleting.id} user={deleting} onClose={() => setDeleting(null)} />
      )}
    </>
  )
}

interface UserColumns {
  readonly teams: readonly Team[]
  readonly ownId: string | null
  readonly onActAs: (id: string) => void
  readonly onDelete: (user: User) => void
}

function userColumns({ teams, ownId, onActAs, onDelete }: UserColumns): readonly Column<User>[] {
  const teamsOf = ({ id }: User) => teams.filter((team) => team.user_ids.includes(id)).map(({ name }) => name)
  return [
    {
      id: 'name',
      header: english('Name'),
      width: 'minmax(10rem, 1.5fr)',
      sortBy: (user) => user.name.toLowerCase(),
      cell: (user) => (
        <>
          <RowLink to="/users" search={{ view: 'users', edit: user.id }}>
            {userName(user)}
          </RowLink>
          {user.id === ownId ? <span className="ml-2 text-sm text-muted">{t('you')}</span> : null}
        </>
      ),
    },
    {
      id: 'email',
      header: english('Email'),
      width: 'minmax(10rem, 1.5fr)',
      yields: 4,
      sortBy: (user) => user.email,
      cell: (user) => <span className="text-muted">{user.email}</span>,
    },
    {
      id: 'teams',
      header: english('Teams'),
      width: 'minmax(8rem, 1fr)',
      yields: 2,
      cell: (user) => <span className="text-muted">{teamsOf(user).join(', ')}</span>,
    },
    timeColumn('created_at', english('Added'), { width: '7rem', yields: 1 }),
    actionsColumn('4rem', (user) =>
      user.id === ownId ? null : (
        <>
          <IconButton
            small
            label={t('Act as {{name}}', { name: user.name })}
            icon={UserRoundCheck}
            onClick={() => onActAs(user.id)}
          />
          <DeleteIcon name={user.name} needs={deleteUserRoute} onClick={() => onDelete(user)} />
        </>
      ),
    ),
  ]
}

function TeamList({ users, teams }: ListProps) {
  const api = useApi()
  const [deleting, setDeleting] = useState<Team | null>(null)
  const columns = useMemo(() => teamColumns(users, setDeleting), [users])
  return (
    <>
      {teams.length === 0 ? (
        <EmptyState
          icon={Users}
          example={[t('Marketing'), 'Ada, Grace', t('2 users')]}
          title={t('No teams yet')}
        >
          {t(
            'A team is a group of users. Share a connector auth with a team to give all of its members access.',
          )}
        </EmptyState>
      ) : (
        <DataTable label={t('Teams')} noun={t('team')} columns={columns} rows={teams} />
      )}
      <ConfirmDialog
        open={deleting !== null}
        title={t('Delete “{{name}}”?', { name: deleting?.name ?? '' })}
        action={t('Delete team')}
        onClose={() => setDeleting(null)}
        onConfirm={async () => {
          if (deleting === null) return
          await cached(api, TEAMS)
            .getState()
            .after(api.call(deleteTeamRoute, { params: { id: deleting.id } }))
          announce(t('Team “{{name}}” deleted', { name: deleting.name }))
        }}
      >
        {t('Its members are kept, with everything they own.')}
      </ConfirmDialog>
    </>
  )
}

function teamColumns(users: readonly User[], onDelete: (team: Team) => void): readonly Column<Team>[] {
  const names = new Map(users.map(({ id, name }) => [id, name]))
  return [
    {
      id: 'name',
      header: english('Name'),
      width: 'minmax(10rem, 1fr)',
      sortBy: (team) => team.name.toLowerCase(),
      cell: (team) => (
        <RowLink to="/users" search={{ view: 'teams', edit: team.id }}>
          {team.name}
        </RowLink>
      ),
    },
    {
      id: 'members',
      header: english('Members'),
      width: 'minmax(12rem, 2fr)',
      yields: 2,
      sortBy: (team) => team.user_ids.length,
      cell: (team) => (
        <span className="text-muted">{team.user_ids.map((id) => names.get(id) ?? id).join(', ')}</span>
      ),
    },
    timeColumn('updated_at', english('Changed'), { width: '7rem', yields: 1 }),
    actionsColumn('4rem', (team) => (
      <DeleteIcon name={team.name} needs={deleteTeamRoute} onClick={() => onDelete(team)} />
    )),
  ]
}
