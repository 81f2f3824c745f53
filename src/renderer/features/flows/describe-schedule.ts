/** When a schedule runs, in a few words: `every day at 09:00`. */
export function describeSchedule(config: Readonly<Record<string, unknown>>): string {
  const { interval, minutes, cron, at, weekdays } = config
  const time = typeof at === 'string' && at !== '' ? ` at ${at}` : ''
  switch (interval) {
    case '5m':
      return 'every 5 minutes'
    case '15m':
      return 'every 15 minutes'
    case '1h':
      return 'every hour'
    case 'daily':
      return `every day${time}`
    case 'weekly': {
      const days = Array.isArray(weekdays) ? weekdays.map((day) => String(day).slice(0, 3)) : []
      return `every ${days.join(', ') || 'week'}${time}`
    }
    case 'monthly':
      return `every month${time}`
    case 'once':
      return typeof at === 'string' && at !== '' ? `once, ${at.replace('T', ' ')}` : 'once, no moment yet'
    case 'custom':
      return typeof minutes === 'number' ? `every ${minutes} minutes` : 'no interval yet'
    case 'cron':
      return typeof cron === 'string' && cron !== '' ? cron : 'no cron expression yet'
    default:
      return 'no interval yet'
  }
}
