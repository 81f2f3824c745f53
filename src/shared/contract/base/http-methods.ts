/** The HTTP methods of pagination calls, of actions and of requests. */
export const PAGINATION_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export const ACTION_METHODS = [...PAGINATION_METHODS, 'HEAD'] as const
export const REQUEST_METHODS = [...ACTION_METHODS, 'OPTIONS'] as const
