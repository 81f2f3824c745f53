/** The playground's records: made up, the same at every start, with fixed dates. */

export interface Contact {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly city: string
  readonly created_at: string
}

export interface Order {
  readonly id: number
  readonly contact_id: number
  readonly status: (typeof STATUSES)[number]
  readonly total: number
  readonly currency: string
  readonly created_at: string
}

export interface Ticket {
  readonly id: number
  readonly contact_id: number
  readonly subject: string
  readonly priority: (typeof PRIORITIES)[number]
  readonly closed: boolean
}

/** Newest first, as feeds have it. */
export const ARTICLES = [
  {
    id: 'winter-hours',
    title: 'Opening hours in winter',
    summary: 'From December on we open at nine.',
    date: '2026-11-20T09:00:00.000Z',
  },
  {
    id: 'new-warehouse',
    title: 'A new warehouse',
    summary: 'Orders to the south now arrive a day earlier.',
    date: '2026-10-02T08:30:00.000Z',
  },
  {
    id: 'first-order',
    title: 'Order number one thousand',
    summary: 'Thank you to Ada for the thousandth order.',
    date: '2026-09-14T16:45:00.000Z',
  },
] as const

const FIRST_NAMES = [
  'Ada',
  'Grace',
  'Alan',
  'Edsger',
  'Barbara',
  'Donald',
  'Frances',
  'Ken',
  'Radia',
  'Niklaus',
]
const LAST_NAMES = ['Lind', 'Okafor', 'Moreau', 'Tanaka', 'Silva', 'Novak', 'Berg']
const CITIES = ['Lisbon', 'Oslo', 'Lagos', 'Kyoto', 'Lyon', 'Prague', 'Quito']
const SUBJECTS = [
  'Invoice is missing',
  'Parcel is late',
  'Wrong size',
  'Question about an order',
  'Thank you',
]
const STATUSES = ['open', 'paid', 'shipped'] as const
const PRIORITIES = ['low', 'normal', 'high'] as const
const FIRST_DAY = Date.UTC(2026, 0, 5, 9)
const HOUR = 3_600_000

/** 64 records of each kind fill seven pages of ten, the last one partly. */
const COUNT = 64

export const CONTACTS: readonly Contact[] = numbers().map((id) => {
  const first = pick(FIRST_NAMES, id)
  const last = pick(LAST_NAMES, id)
  return {
    id,
    name: `${first} ${last}`,
    email: `${first}.${last}@example.test`.toLowerCase(),
    city: pick(CITIES, id * 3),
    created_at: new Date(FIRST_DAY + id * 7 * HOUR).toISOString(),
  }
})

export const ORDERS: readonly Order[] = numbers().map((id) => ({
  id: 1000 + id,
  contact_id: ((id * 11) % COUNT) + 1,
  status: pick(STATUSES, id),
  total: Math.round((19.9 + ((id * 37) % 240)) * 100) / 100,
  currency: 'EUR',
  created_at: new Date(FIRST_DAY + id * 5 * HOUR).toISOString(),
}))

export const TICKETS: readonly Ticket[] = numbers().map((id) => ({
  id: 500 + id,
  contact_id: ((id * 17) % COUNT) + 1,
  subject: pick(SUBJECTS, id),
  priority: pick(PRIORITIES, id * 2),
  closed: id % 4 === 0,
}))

function numbers(): number[] {
  return Array.from({ length: COUNT }, (_, index) => index + 1)
}

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T
}
