// features: events
import { env } from 'cloudflare:test'

/**
 * Each fault is injected once in `npm test`. To repeat them:
 * `EDGEWAY_TIMES=50 npx vitest run --project workers subscriber-faults log-fan-out`
 */
export const REPEATED = { repeats: Number(env.EDGEWAY_TIMES) - 1 }
