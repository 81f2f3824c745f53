/** The flow that a first start finds in its data folder, and an order for it. */
export const SAMPLE_FLOW = 'Receive an order'

export const SAMPLE_ORDER = {
  order_id: 'A-1042',
  email: 'grace.moreau@example.test',
  total: 129.5,
} as const
