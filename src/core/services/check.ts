import type { HealthCheck } from '../../model/postern.ts'
import type { Context } from '../context.ts'

/** Whether signatures of services can be checked at all. Their keys need no secret of ours, and are good anyway. */
export async function checkServices(ctx: Context): Promise<readonly HealthCheck[]> {
  const records = await ctx.store.read.services.list({ revoked: false })
  if (records.length === 0) return []
  const secrets = await ctx.secrets()
  const unreadable = records.flatMap(({ service: { id, name, agent }, signingSecret }) => {
    const opened = secrets.open(signingSecret, id)
    return 'reason' in opened ? [{ what: `${name} of ${agent}`, reason: opened.reason }] : []
  })
  const names = unreadable.map(({ what }) => what).join(', ')
  const reasons = [...new Set(unreadable.map(({ reason }) => reason))].join('; ')
  return [
    {
      name: 'services.secrets',
      ok: unreadable.length === 0,
      level: 'warning',
      detail:
        unreadable.length === 0
          ? `${records.length} registered; their signatures can be checked`
          : `signatures of ${names} cannot be checked: ${reasons}`,
      next: 'Put back the key file that they were sealed with, or give each a new key with "postern service rotate <service>".',
    },
  ]
}
