/**
 * Checks the access of a run's caller again, for a run that resumes without a request of its own: after
 * an answer, an alarm, or a restart.
 */
import type { Authenticator } from '../ports/authenticator.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { CheckGrant } from './resource/verified-tokens.ts'

export interface RenewalOptions {
  /**
   * Decides whether the caller of a run that resumes still has access, for callers without a grant of
   * this server. Returns the caller with its present scopes and props, or undefined when its access
   * has ended. An error means that it cannot be determined now; the run tries again. Default: the
   * caller has access for `unattendedMs` after its request.
   */
  readonly renewCaller?: (
    caller: AuthInfo,
    env: unknown,
  ) => AuthInfo | undefined | Promise<AuthInfo | undefined>
  /**
   * How long after its request a caller without a grant has access, if there is no `renewCaller`. In
   * milliseconds. Default 24 h.
   */
  readonly unattendedMs?: number
}

const DEFAULT_UNATTENDED_MS = 24 * 60 * 60_000

/** @param grantCheckOf the check of an issuer's grants in an environment; undefined on a server without grants */
export function createRenewal(
  { renewCaller, unattendedMs = DEFAULT_UNATTENDED_MS }: RenewalOptions,
  grantCheckOf?: (env: unknown, issuer: string) => CheckGrant,
): Authenticator['renewCaller'] {
  return async ({ auth, grant, at }, env) => {
    const check = grantCheckOf?.(env, auth.issuer)
    const { subject, clientId } = auth
    const claims = {
      subject,
      clientId,
      grantId: grant?.id,
      grantKey: grant?.sealedKey,
      issuedAt: at,
    }
    const checked = await check?.(claims)
    if (checked?.active === false) return undefined
    if (grant !== undefined) {
      if (checked === undefined) return undefined
      const { props, scopes, definitionVersion } = checked
      const present = scopes ? auth.scopes.filter((scope) => scopes.has(scope)) : auth.scopes
      return withProps({ ...auth, scopes: present }, props, definitionVersion)
    }
    if (renewCaller === undefined) return Date.now() < at + unattendedMs ? auth : undefined
    const renewed = await renewCaller(auth, env)
    // The hook decides about scopes and props. It cannot make a run that of another principal.
    return renewed && withProps({ ...auth, scopes: renewed.scopes }, renewed.props)
  }
}

function withProps(
  { props: _props, definitionVersion: _version, ...auth }: AuthInfo,
  props: AuthInfo['props'],
  definitionVersion?: string,
): AuthInfo {
  return {
    ...auth,
    ...(props !== undefined && { props }),
    ...(definitionVersion !== undefined && { definitionVersion }),
  }
}
