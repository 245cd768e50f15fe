/** Finds the upstream token of a caller. When it ends, the login renews it: see `../login/renew-grant-tokens.ts`. */
import { SingleFlight } from '../../platform/single-flight.ts'
import type { TelemetrySink } from '../../ports/telemetry.ts'
import type {
  FindUpstreamToken,
  UpstreamFault,
  UpstreamTokenAnswer,
} from '../../ports/upstream-tokens.ts'
import type { ServicesOf } from '../embedded-servers.ts'
import { LOGIN_PARTS, type Login } from '../login/login.ts'
import { isUsable, tokensIn } from '../login/upstream-tokens.ts'
import { reportRefusal } from './grants/refuse-grant.ts'
import { openGrantKey } from './sealed-json.ts'

/** Longer than all checks and a renewal. */
const FOLLOW_TIMEOUT_MS = 26_000

const ENDED = { refused: 'invalid_grant', reason: 'upstream-sign-in-ended' } as const

/** @param login undefined where a passphrase signs people in, who have no provider then */
export function createUpstreamSource(
  login: Login | undefined,
  servicesOf: ServicesOf,
  report: TelemetrySink,
): { readonly findUpstreamToken?: FindUpstreamToken } {
  if (login === undefined) return {}
  const running = new SingleFlight<UpstreamTokenAnswer>(FOLLOW_TIMEOUT_MS, FOLLOW_TIMEOUT_MS)
  const provider = login.kind === 'redirect' ? login.name : undefined
  const fail = (fault: UpstreamFault) => ({ ok: false, fault, provider }) as const
  const findUpstreamToken: FindUpstreamToken = async ({ auth, grant }, env) => {
    const known = tokensIn(auth.props)
    if (known !== undefined && isUsable(known)) return { ok: true, accessToken: known.accessToken }
    if (login.kind !== 'redirect' || grant === undefined || known === undefined) return fail('none')
    try {
      const { sealer, accounts } = servicesOf(env, auth.issuer)
      return await running.run(grant.id, async () => {
        const key = await openGrantKey(sealer, grant.id, grant.sealedKey)
        if (key === undefined) return fail('ended')
        const held = { account: accounts.of(auth.subject), id: grant.id, key }
        const outcome = await login[LOGIN_PARTS].renewTokens(login, held, env)
        if (outcome === 'ended-now') reportRefusal(report, ENDED)
        if (outcome === 'ended-now' || outcome === 'ended') return fail('ended')
        return typeof outcome === 'string' ? fail(outcome) : { ok: true, ...outcome }
      })
    } catch (error) {
      report({ type: 'internal-error', error })
      return fail('unavailable')
    }
  }
  return { findUpstreamToken }
}
