/**
 * Exchanges an authorization code for tokens. The account checks and redeems the code in one step.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.1.3
 */
import type { JsonObject } from '../../../protocol/json.ts'
import type { SealedCode } from '../approve.ts'
import type { TokenRequest } from '../authorization-server.ts'
import { runHook } from '../hooks.ts'
import { grantResponse } from '../issue-tokens.ts'
import { challengeOf } from '../pkce.ts'
import { required } from '../read-form.ts'
import { resolveResource } from '../resource-parameter.ts'
import { openJson } from '../sealed-json.ts'
import { joinProps, splitProps } from '../stored-props.ts'
import { invalidGrant, refuseGrant } from './refuse-grant.ts'

export async function exchangeCode(request: TokenRequest): Promise<JsonObject> {
  const { server, params, client, dpopJkt, redeemProof } = request
  const { accounts, hooks } = server
  const verifierChallenge = await challengeOf(params)
  const code = await openJson<SealedCode>(server, 'auth-code/1', required(params, 'code'))
  if (code === undefined) throw invalidGrant()
  const resource = params.get('resource')
  const account = accounts.byName(code.account)
  const issued = await account.redeemCode({
    codeSecret: code.secret,
    clientId: client.id,
    redirectUri: params.get('redirect_uri'),
    verifierChallenge,
    resource: resource === undefined ? undefined : resolveResource(server, resource),
    dpopJkt,
  })
  if ('refused' in issued) throw refuseGrant(server, issued)
  try {
    await redeemProof()
  } catch (error) {
    // The code is used up, and its tokens are not issued.
    await account.revoke(issued.grantId)
    throw error
  }
  const { grantId, grantKey } = issued
  const { props: known, attributes } = splitProps(issued.props)
  const granted = { ...issued, props: known }
  const { claims, props } = await runHook(server, hooks.onIssue, granted, async () => {
    await account.revoke(grantId)
  })
  const stored = props && joinProps({ props, attributes })
  if (stored !== undefined) await account.setProps(grantId, grantKey, stored)
  return grantResponse(server, issued, claims)
}
