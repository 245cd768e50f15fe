/**
 * Exchanges a refresh token for new tokens. The upstream renewal and the author's hook run before the
 * token is used up, so that their failure leaves the grant unchanged.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html#section-4.3
 */
import type { Account } from '../../../ports/accounts.ts'
import type { GrantState } from '../../../ports/grant.ts'
import type { JsonObject } from '../../../protocol/json.ts'
import { LOGIN_PARTS } from '../../login/login.ts'
import { limitScopes } from '../../people/admission.ts'
import type { AuthorizationServer, TokenRequest } from '../authorization-server.ts'
import { runHook } from '../hooks.ts'
import { grantResponse, type SealedRefresh } from '../issue-tokens.ts'
import { presentScopes } from '../offer.ts'
import { required } from '../read-form.ts'
import { splitScopes } from '../requested-scopes.ts'
import { resolveResource } from '../resource-parameter.ts'
import { openJson } from '../sealed-json.ts'
import { joinProps } from '../stored-props.ts'
import { asStored, type PresentGrant } from './present-grant.ts'
import { invalidGrant, refuseGrant } from './refuse-grant.ts'

export async function refreshGrant(request: TokenRequest): Promise<JsonObject> {
  const { server, params, client, dpopJkt, redeemProof } = request
  const { accounts, hooks, login } = server
  const token = required(params, 'refresh_token')
  const refresh = await openJson<SealedRefresh>(server, 'refresh-token/1', token)
  if (refresh === undefined) throw invalidGrant()
  const scope = params.get('scope')
  const wanted = scope === undefined ? undefined : withoutOfflineAccess(splitScopes(scope))
  const resource = params.get('resource')
  const account = accounts.byName(refresh.account)
  const requested = {
    grantId: refresh.grant,
    refreshSecret: refresh.secret,
    clientId: client.id,
    scopes: wanted && (await grantedScopes(server, account, refresh, wanted)),
    resource: resource === undefined ? undefined : resolveResource(server, resource),
    dpopJkt,
  }
  const narrow = (scopes: readonly string[]) => narrowTo(server, scopes, wanted)
  const rotate = async (grant: PresentGrant | undefined) => {
    const scopes = grant && narrow(await presentScopes(server, grant))
    const { claims, props } = grant
      ? await runHook(server, hooks.onRefresh, { ...grant, scopes: scopes ?? [] }, async () => {})
      : { claims: {}, props: undefined }
    const newProps = grant && changedProps(grant, props)
    const issued = await account.refresh({
      ...requested,
      // A concurrent refresh may have stored other props, with newer upstream tokens.
      ...(newProps && { newProps, propsVersion: grant.propsVersion }),
    })
    return { issued, scopes, claims }
  }
  const rotateAsStored = async () => {
    const isRead = hooks.onRefresh || server.admission
    const state = isRead && (await account.peekRefresh(requested))
    return rotate(state && asStored(state))
  }
  const { issued, scopes, claims } =
    login.kind === 'passphrase'
      ? await rotateAsStored()
      : await login[LOGIN_PARTS].ask(login, server, account, requested, rotate)
  if ('refused' in issued) throw refuseGrant(server, issued)
  // After a refusal, the client receives the same successor with the next proof, within the grace.
  await redeemProof()
  return grantResponse(server, { ...issued, scopes: scopes ?? narrow(issued.scopes) }, claims)
}

function withoutOfflineAccess(scopes: readonly string[]): readonly string[] | undefined {
  const own = scopes.filter((scope) => scope !== 'offline_access')
  return own.length > 0 ? own : undefined
}

/**
 * The scopes that the grant must have for the wanted ones: for one that it has only as part of a broader scope, that
 * scope.
 */
async function grantedScopes(
  { scopes: table }: AuthorizationServer,
  account: Account,
  { grant, secret }: SealedRefresh,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const broader = (name: string) =>
    table.names.filter((other) => other !== name && table.expand([other]).includes(name))
  if (wanted.every((name) => broader(name).length === 0)) return wanted
  const granted = (await account.inspectRefresh(grant, secret))?.scopes ?? []
  const find = (name: string) => [name, ...broader(name)].find((one) => granted.includes(one))
  return [...new Set(wanted.map((name) => find(name) ?? name))]
}

function narrowTo(
  { scopes: table }: AuthorizationServer,
  scopes: readonly string[],
  wanted: readonly string[] | undefined,
): readonly string[] {
  return limitScopes(scopes, { scopes: wanted && new Set(table.expand(wanted)) }, table)
}

/** The props to store; undefined when those of the grant stay. */
function changedProps(
  { props: known, attributes, isChanged }: PresentGrant,
  props: GrantState['props'],
): GrantState['props'] {
  return props === undefined && !isChanged
    ? undefined
    : joinProps({ props: props ?? known, attributes })
}
